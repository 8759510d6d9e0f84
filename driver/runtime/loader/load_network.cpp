// SPDX-License-Identifier: Apache-2.0
#include "systole/load_network.hpp"

#include <fmt/core.h>

#include <array>
#include <fstream>
#include <iterator>

#include "systole/container.hpp"
#include "systole/errors.hpp"

namespace systole {
namespace {

/// Whether the file begins as a .systole file does. False if it cannot be read; the importer then reports the error.
bool is_systole_file(const std::string& path) {
  std::array<char, 8> first{};
  std::ifstream file(path, std::ios::binary);
  file.read(first.data(), first.size());
  return file && container::is_container(graph::Bytes(first.begin(), first.end()));
}

CompiledNetwork load_systole_file(const Device& device, const std::string& path) {
  try {
    std::ifstream file(path, std::ios::binary);
    const container::Container contents(graph::Bytes(std::istreambuf_iterator<char>(file), {}));
    return contents.compiled() ? contents.network(device.configuration(), device.memory())
                               : compile_network(contents.graph(), device.configuration(), device.memory());
  } catch (const container::ContainerError& error) {
    throw container::ContainerError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace

Network load_network(Device& device, const std::string& path, const graph::ImportOptions& options) {
  if (!is_systole_file(path)) {
    return {device, graph::import_model(path, options)};
  }
  if (!options.dimensions.empty()) {
    throw InvalidArgument(
        fmt::format("{}: sizes of dimensions were given, but the sizes of a .systole file are fixed; give them when it "
                    "is made",
                    path));
  }
  return {device, load_systole_file(device, path)};
}

}  // namespace systole
