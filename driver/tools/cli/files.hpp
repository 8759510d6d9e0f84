// SPDX-License-Identifier: Apache-2.0
// Files that the program writes.
#pragma once

#include <fmt/core.h>

#include <fstream>
#include <string>

#include "exit_codes.hpp"

namespace systole::cli {

/// Replaces the file by these bytes: a string, or any other sequence of them in one piece. Throws InputError, which
/// begins with `what` (an option, say), when it cannot be written.
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
