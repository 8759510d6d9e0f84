// SPDX-License-Identifier: Apache-2.0
#include "model_bytes.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace systole::graph {

Bytes read_model_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw GraphError(fmt::format("{}: {}", path, file ? "is a folder" : std::strerror(errno)));
  }
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

}  // namespace systole::graph
