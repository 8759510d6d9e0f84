// SPDX-License-Identifier: Apache-2.0
// A folder for temporary files.
#pragma once

#include <filesystem>
#include <string>

namespace systole::cli {

/// Created in the system's folder for temporary files; removed with its contents by the destructor.
class ScratchFolder {
 public:
  /// Throws InputError if it cannot be created.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  /// The path of a file in it.
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace systole::cli
