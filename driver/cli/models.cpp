// SPDX-License-Identifier: Apache-2.0
#include "models.hpp"

#include <fmt/core.h>

#include <array>
#include <fstream>
#include <iterator>

#include "errors.hpp"
#include "graph/listing.hpp"
#include "systole/import_model.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

/// Enough of the file to know whether it is ours; a path that cannot be read is the importer's to tell.
bool is_ours(const std::string& path) {
  std::array<char, 8> first{};
  std::ifstream file(path, std::ios::binary);
  file.read(first.data(), first.size());
  return file && container::is_container(graph::Bytes(first.begin(), first.end()));
}

}  // namespace

Model load_model(const std::string& path) {
  try {
    if (!is_ours(path)) {
      return {path, graph::import_model(path), std::nullopt};
    }
    std::ifstream file(path, std::ios::binary);
    container::Container contents(graph::Bytes(std::istreambuf_iterator<char>(file), {}));
    graph::Graph graph = contents.graph();
    const bool compiled = contents.compiled();
    return {path, std::move(graph), compiled ? std::optional(std::move(contents)) : std::nullopt};
  } catch (const container::ContainerError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  } catch (const graph::GraphError& error) {
    throw InputError(error.what());
  }
}

CompiledNetwork programs_of(const Model& model, const Configuration& configuration, const std::shared_ptr<AddressSpace>& memory) {
  try {
    return model.compiled ? model.compiled->network(configuration, memory) : compile_network(model.graph, configuration, memory);
  } catch (const std::runtime_error& error) {  // the graph, the container, or a memory that is too small
    throw InputError(fmt::format("{}: {}", model.path, error.what()));
  }
}

std::string counted(std::uint64_t count, const char* what) { return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s"); }

std::string graph_text(const graph::Graph& graph) {
  return fmt::format("{}, {} MACs, {} bytes of constants", counted(graph.operators.size(), "operator"), grouped(graph::total_macs(graph)),
                     grouped(graph::constant_bytes(graph)));
}

std::string programs_text(const CompiledNetwork& network) {
  std::uint64_t programs = 0, instructions = 0, host = 0;
  for (const NetworkStep& step : network.steps) {
    if (const auto* device = std::get_if<DeviceStep>(&step)) {
      ++programs;
      instructions += device->program.instructions.size();
    } else {
      ++host;
    }
  }
  return fmt::format("{} of {}, {} on the host", counted(programs, "program"), counted(instructions, "instruction"), counted(host, "operator"));
}

}  // namespace systole::cli
