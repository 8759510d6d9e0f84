// SPDX-License-Identifier: Apache-2.0
#include "layer_accounting.hpp"

#include <fmt/ranges.h>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "systole/generated/isa.hpp"
#include "systole/throughput.hpp"

namespace systole::network {
namespace {

constexpr auto kMxu = static_cast<std::size_t>(isa::Engine::kMxu);
constexpr auto kWorking = static_cast<std::size_t>(isa::Cause::kWorking);

[[noreturn]] void raise(const std::string& what, std::vector<std::string> rows) {
  const std::string text = fmt::format(
      "network: {}; the results are not affected, but the statistics of the layers are wrong\n"
      "  what to do: run the test network_layer_clock, then look at the layers with --timeline",
      what);
  throw LayerAccountingError(text, std::move(rows));
}

std::vector<std::string> all_of(const StepReport& step) {
  std::vector<std::string> names;
  for (const LayerReport& layer : step.layers) {
    names.push_back(layer.name);
  }
  return names;
}

void check_layer(const LayerReport& layer, int dim) {
  for (std::size_t engine = 0; engine < layer.causes.size(); ++engine) {
    const auto& causes = layer.causes[engine];
    const std::uint64_t sum = std::accumulate(causes.begin(), causes.end(), std::uint64_t{0});
    if (sum != layer.cycles) {
      raise(fmt::format("the causes of {} in layer '{}' add up to {} cycles, the layer has {}",
                        isa::to_string(static_cast<isa::Engine>(engine)), layer.name, sum, layer.cycles),
            {layer.name});
    }
  }
  const std::uint64_t bytes = layer.cycles * static_cast<std::uint64_t>(dim);
  if (layer.read_bytes > bytes || layer.write_bytes > bytes) {
    raise(fmt::format("layer '{}' reads {} bytes and writes {} in {} cycles, in which each channel of the bus moves {}",
                      layer.name, layer.read_bytes, layer.write_bytes, layer.cycles, bytes),
          {layer.name});
  }
  // The vector unit multiplies where the matrix unit did no work. Such a layer may end before the layers ahead of it,
  // and its cycles are then counted for those, so that its multiply-accumulates have no limit here.
  if (layer.causes[kMxu][kWorking] != 0 && layer.macs > layer.cycles * multipliers(dim)) {
    raise(fmt::format("layer '{}' has {} multiply-accumulates in {} cycles, where {} multipliers can do {}", layer.name,
                      layer.macs, layer.cycles, multipliers(dim), layer.cycles * multipliers(dim)),
          {layer.name});
  }
}

}  // namespace

void check_balance(const StepReport& step, std::uint64_t vectors, int dim) {
  std::uint64_t macs = 0;
  std::uint64_t cycles = 0;
  CauseTable causes{};
  for (const LayerReport& layer : step.layers) {
    macs += layer.macs;
    cycles += layer.cycles;
    add(causes, layer.causes);
  }
  if (macs != step.stats.useful_macs) {
    raise(fmt::format("the layers have {} multiply-accumulates, their program {}", macs, step.stats.useful_macs),
          all_of(step));
  }
  if (step.stats.cycles == 0) {
    return;
  }
  for (const LayerReport& layer : step.layers) {
    check_layer(layer, dim);
  }
  if (cycles != step.stats.cycles) {
    raise(fmt::format("the layers have {} cycles, their program {}", cycles, step.stats.cycles), all_of(step));
  }
  for (std::size_t engine = 0; engine < causes.size(); ++engine) {
    const auto& counted = step.stats.causes[engine];
    const bool same =
        step.stats.causes_counted ? causes[engine] == counted : causes[engine][kWorking] == counted[kWorking];
    if (!same) {
      raise(fmt::format("the layers' causes of {}, [{}] cycles, are not those that the core counted, [{}]",
                        isa::to_string(static_cast<isa::Engine>(engine)), fmt::join(causes[engine], ", "),
                        fmt::join(counted, ", ")),
            all_of(step));
    }
  }
  if (causes[kMxu][kWorking] != vectors) {
    raise(fmt::format("the matrix unit worked in {} cycles, its instructions are of {} vectors", causes[kMxu][kWorking],
                      vectors),
          all_of(step));
  }
}

}  // namespace systole::network
