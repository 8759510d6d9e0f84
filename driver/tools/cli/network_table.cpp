// SPDX-License-Identifier: Apache-2.0
#include "network_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "network_json.hpp"
#include "systole/throughput.hpp"
#include "text_table.hpp"

namespace systole::cli {
namespace {

std::string cycles_text(std::uint64_t cycles) { return cycles == 0 ? "-" : grouped(cycles); }

/// Utilization of the core by a row of the table, in three cells.
std::array<std::string, 3> use_cells(std::uint64_t macs, std::uint64_t cycles, int dim) {
  if (macs == 0 || cycles == 0) {
    return {"-", "-", "-"};
  }
  return {percent(utilization(macs, cycles, dim)), fmt::format("{:.1f}", macs_per_cycle(macs, cycles)),
          percent(multiplier_share(macs, cycles, dim))};
}

}  // namespace

void NetworkRun::take(const Network& network) { take(network.steps(), network.graph().operators.size()); }

void NetworkRun::take(std::vector<StepReport> of_sample, std::size_t operators_of_network) {
  steps = std::move(of_sample);
  operators = operators_of_network;
  if (nonfinite.empty()) {
    nonfinite = nonfinite_text(steps);
  }
  for (const StepReport& step : steps) {
    run.stats += step.stats;
    run.estimated_cycles += step.predicted_cycles;
  }
}

std::size_t NetworkRun::on_host() const {
  return static_cast<std::size_t>(
      std::count_if(steps.begin(), steps.end(), [](const StepReport& step) { return !step.on_device; }));
}

std::string nonfinite_text(const std::vector<StepReport>& steps) {
  const StepReport* found = first_nonfinite(steps);
  if (found == nullptr) {
    return {};
  }
  const std::vector<LayerReport>& layers = found->layers;
  if (layers.size() == 1) {
    return fmt::format("layer '{}'", layers.front().name);
  }
  const auto number = std::count_if(steps.data(), found + 1, [](const StepReport& step) { return step.on_device; });
  return fmt::format("program {}, one of its layers '{}' to '{}'", number, layers.front().name, layers.back().name);
}

std::string text_of(const NetworkRun& network, const Style& style) {
  const Run& run = network.run;
  Table table({{"layer", Table::Align::kLeft},
               {"output", Table::Align::kLeft},
               {"MACs"},
               {"cycles"},
               {"predicted"},
               {"utilization"},
               {"MACs/cycle"},
               {"of multipliers"},
               {"read"},
               {"written"},
               {"bound by", Table::Align::kLeft}});
  std::string on_host;
  int segments = 0;
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  for (const StepReport& step : network.steps) {
    segments += step.on_device ? 1 : 0;
    if (!step.on_device) {
      on_host += fmt::format("  on the host  {}: {}\n", short_name(step.name), step.reason);
    }
    for (const LayerReport& layer : step.layers) {
      read += layer.read_bytes;
      written += layer.write_bytes;
      const auto [used, each_cycle, share] = use_cells(layer.macs, layer.cycles, run.dim);
      table.add({short_name(layer.name), layer.shape, grouped(layer.macs), cycles_text(layer.cycles),
                 grouped(static_cast<std::uint64_t>(layer.predicted_cycles)), used, each_cycle, share,
                 scaled(static_cast<double>(layer.read_bytes)) + "B",
                 scaled(static_cast<double>(layer.write_bytes)) + "B", report::bound_of(layer)});
    }
  }
  const auto [used, each_cycle, share] = use_cells(run.stats.useful_macs, run.stats.cycles, run.dim);
  table.add({"all", "", grouped(run.stats.useful_macs), cycles_text(run.stats.cycles),
             grouped(static_cast<std::uint64_t>(run.estimated_cycles)), used, each_cycle, share,
             scaled(static_cast<double>(read)) + "B", scaled(static_cast<double>(written)) + "B", ""});
  std::string text =
      fmt::format("{}  on {}, {} x {}, {} configuration, {} device segment{}\n\n", style(Paint::kBold, run.name),
                  run.device, run.dim, run.dim, run.config, segments, segments == 1 ? "" : "s");
  text += table.text(style) + on_host;
  if (run.stats.cycles > 0) {
    text += "\n" + causes_text(run.stats, style);
    text += fmt::format("\n  simulation   {:.3g} s, {}Hz, {}MAC/s", run.simulation_seconds, scaled(run.sim_hz()),
                        scaled(run.macs_per_second()));
  }
  text += fmt::format("\n  operators    {}\n", places_text(network));
  if (!network.nonfinite.empty()) {
    text += fmt::format("  {}   an infinity or a NaN in a block, first in {}\n", style(Paint::kBad, "not finite"),
                        network.nonfinite);
  }
  return text + fmt::format("  result       {}\n", result_text(run, style));
}

std::string places_text(const NetworkRun& network) {
  const std::size_t host = network.on_host();
  return network.run.device == "host" ? fmt::format("{} on the host", grouped(network.operators))
                                      : fmt::format("{} on {}, {} on the host", grouped(network.operators - host),
                                                    network.run.device, grouped(host));
}

nlohmann::ordered_json to_json(const NetworkRun& network) {
  nlohmann::ordered_json json = to_json(network.run);
  json["predicted_cycles"] = network.run.estimated_cycles;
  const std::size_t host = network.run.device == "host" ? network.operators : network.on_host();
  json["operators"] = {{"device", network.operators - host}, {"host", host}};
  report::add_steps(json, network.steps, network.run.dim);
  json["nonfinite_in"] =
      network.nonfinite.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(network.nonfinite);
  return json;
}

}  // namespace systole::cli
