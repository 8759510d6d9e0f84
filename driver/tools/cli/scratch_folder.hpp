// SPDX-License-Identifier: Apache-2.0
// A folder for files that nobody needs afterwards.
#pragma once

#include <filesystem>
#include <string>

namespace systole::cli {

/// Made below the system's folder for temporary files; goes with its object, and with it all that is in it.
class ScratchFolder {
 public:
  /// Throws InputError when it cannot be made.
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
