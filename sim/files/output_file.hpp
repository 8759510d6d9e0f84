// SPDX-License-Identifier: Apache-2.0
// Outputs. A regular file is written under a temporary name in the same folder, then renamed: whoever reads the path
// finds the old contents or all of the new ones, also after a full disk. A device, a pipe or /dev/stdout is written
// directly. README.md has the contract.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "output_target.hpp"

namespace systole::files {

/// An output that is being written. Every function throws FileError, with the path and the system's reason.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  /// Removes what was written, unless finish() has returned.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  /// Makes the contents durable and puts the file in its place. After that, nothing can be written.
  void finish();

  /// For libraries that write to a descriptor themselves. It belongs to this object.
  int descriptor() const { return descriptor_; }
  /// For libraries that open the file themselves: closes the descriptor and returns the temporary path, which finish()
  /// renames. Throws FileError if the path is a device, which such a library might replace.
  const std::string& hand_over();

 private:
  void close_descriptor();

  std::string path_;  // as in messages
  OutputTarget target_;
  std::string temporary_;  // empty for devices, and when finish() has returned
  int descriptor_ = -1;
};

/// Whether an output may be in a folder that does not exist yet.
enum class MissingFolder {
  kIsAnError,
  kIsMade,  ///< by make_folder_of(), before the file is opened
};

/// Checks before long work that an OutputFile can be opened for this path, and leaves nothing behind. Throws FileError.
/// A disk that fills up later is found when the file is written.
void check_output(const std::string& path, MissingFolder missing = MissingFolder::kIsAnError);

/// Makes the folder of this file, and those above it. Throws FileError.
void make_folder_of(const std::string& path);

/// Writes a whole output. Throws FileError.
void write_file(const std::string& path, std::string_view bytes);

/// The same for bytes.
template <class Bytes>
void write_bytes(const std::string& path, const Bytes& bytes) {
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace systole::files
