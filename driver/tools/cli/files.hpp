// SPDX-License-Identifier: Apache-2.0
// Output files.
#pragma once

#include <fmt/core.h>

#include <fstream>
#include <string>

#include "exit_codes.hpp"

namespace systole::cli {

/// Replaces the file's contents by these bytes: a string, or any other contiguous sequence. Throws InputError, which
/// begins with `what` (for example an option), if it cannot be written.
template <class Bytes>
void write_file(const std::string& what, const std::string& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    throw InputError(fmt::format("{}: cannot write {}", what, path));
  }
}

}  // namespace systole::cli
