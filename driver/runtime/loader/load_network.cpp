// SPDX-License-Identifier: Apache-2.0
#include "systole/load_network.hpp"

#include <fmt/core.h>

#include <utility>

#include "systole/container.hpp"
#include "systole/errors.hpp"

namespace systole {
namespace {

CompiledNetwork load_systole_file(const Device& device, const std::string& path, const CompileOptions& options) {
  try {
    const container::Container contents = container::open_container(path);
    if (contents.compiled() && !options.without.empty()) {
      throw InvalidArgument(
          fmt::format("{}: transformations to leave out were given, but the file has programs; give them when it is "
                      "compiled",
                      path));
    }
    return contents.compiled() ? contents.network(device.configuration())
                               : compile_network(contents.graph(), device.configuration(), options);
  } catch (const container::ContainerError& error) {
    throw container::ContainerError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace

Network load_network(Device& device, const std::string& path, const graph::ImportOptions& options) {
  const CompileOptions compile{options.without, device.memory_timing()};
  if (!container::is_container_file(path)) {  // also if it cannot be read: the importer reports the error
    const graph::ModelContents contents = graph::read_whole_model(path, options);
    CompiledNetwork compiled = compile_network(contents.graph, device.configuration(), compile);
    add(compiled.transformations, contents.transformations);
    return {device, std::move(compiled)};
  }
  if (!options.dimensions.empty()) {
    throw InvalidArgument(
        fmt::format("{}: sizes of dimensions were given, but the sizes of a .systole file are fixed; give them when it "
                    "is made",
                    path));
  }
  if (!options.constants.empty()) {
    throw InvalidArgument(fmt::format(
        "{}: values of inputs were given, but a .systole file has its constants inside; give them when it is made",
        path));
  }
  return {device, load_systole_file(device, path, compile)};
}

}  // namespace systole
