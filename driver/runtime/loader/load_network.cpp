// SPDX-License-Identifier: Apache-2.0
#include "systole/load_network.hpp"

#include <fmt/core.h>

#include "systole/container.hpp"
#include "systole/errors.hpp"

namespace systole {
namespace {

CompiledNetwork load_systole_file(const Device& device, const std::string& path) {
  try {
    const container::Container contents = container::open_container(path);
    return contents.compiled() ? contents.network(device.configuration(), device.memory())
                               : compile_network(contents.graph(), device.configuration(), device.memory());
  } catch (const container::ContainerError& error) {
    throw container::ContainerError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace

Network load_network(Device& device, const std::string& path, const graph::ImportOptions& options) {
  if (!container::is_container_file(path)) {  // also if it cannot be read: the importer reports the error
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
