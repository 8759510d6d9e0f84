// SPDX-License-Identifier: Apache-2.0
// Output files of a command.
#pragma once

#include <fmt/core.h>

#include <string>

#include "output_error.hpp"
#include "output_file.hpp"

namespace systole::cli {

/// Replaces the file by these bytes: a string, or any other contiguous sequence. Throws InputError, which begins with
/// `what` (for example an option), if it cannot be written.
template <class Bytes>
void write_file(const std::string& what, const std::string& path, const Bytes& bytes) {
  try {
    files::write_bytes(path, bytes);
  } catch (const FileError& error) {
    throw InputError(fmt::format("{}: {}", what, error.what()));
  }
}

/// Writes several outputs at the end of a command: one that fails does not keep the others from being written.
class Outputs {
 public:
  template <class Write>
  void add(const Write& write) {
    try {
      write();
    } catch (const InputError& error) {
      note(error.what());
    } catch (const Error& error) {
      note(error.what());
    }
  }
  const std::string& failures() const { return failures_; }
  /// Throws one OutputError with the texts of all that have failed.
  void check() const {
    if (!failures_.empty()) {
      throw OutputError(failures_);
    }
  }

 private:
  void note(const char* text) { failures_ += (failures_.empty() ? "" : "\n") + std::string(text); }

  std::string failures_;
};

}  // namespace systole::cli
