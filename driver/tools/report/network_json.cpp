// SPDX-License-Identifier: Apache-2.0
#include "network_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "output_file.hpp"
#include "report_html.hpp"
#include "run_json.hpp"
#include "systole/errors.hpp"
#include "systole/throughput.hpp"

namespace systole::report {
namespace {

/// Adds a layer that the device worked on beside another one, which `sum` is.
void merge(LayerReport& sum, const LayerReport& layer) {
  const auto [first, last] = std::pair(std::min(sum.first_cycle, layer.first_cycle),  // of both
                                       std::max(sum.last_cycle, layer.last_cycle));
  add(sum, layer);
  sum.first_cycle = first;
  sum.last_cycle = last;
}

std::vector<LayerReport> joined(const std::vector<LayerReport>& layers) {
  std::vector<LayerReport> result;
  for (const LayerReport& layer : layers) {
    if (layer.cycles > 0 || result.empty()) {
      result.push_back(layer);
      continue;
    }
    merge(result.back(), layer);
    result.back().name += fmt::format(", {}", layer.name);
    result.back().shape = layer.shape;
  }
  if (result.size() > 1 && result[0].cycles == 0) {  // there is no layer before the first
    LayerReport& second = result[1];
    merge(second, result[0]);
    second.name = fmt::format("{}, {}", result[0].name, second.name);
    result.erase(result.begin());
  }
  return result;
}

nlohmann::ordered_json layer_json(const LayerReport& layer, int dim) {
  nlohmann::ordered_json json;
  json["name"] = layer.name;
  json["shape"] = layer.shape;
  json["macs"] = layer.macs;
  json["cycles"] = layer.cycles;
  json["predicted_cycles"] = layer.predicted_cycles;
  json["estimated_cycles"] = std::max<std::int64_t>(0, layer.predicted_cycles);
  json["utilization"] = utilization(layer.macs, layer.cycles, dim);
  json["macs_per_cycle"] = macs_per_cycle(layer.macs, layer.cycles);
  json["multiplier_share"] = multiplier_share(layer.macs, layer.cycles, dim);
  json["bound"] = bound_of(layer);
  json["read_bytes"] = layer.read_bytes;
  json["write_bytes"] = layer.write_bytes;
  if (layer.last_cycle > 0) {
    json["window"] = {layer.first_cycle, layer.last_cycle};
  }
  json["causes"] = causes_json(layer.causes);
  return json;
}

}  // namespace

std::string bound_of(const LayerReport& layer) {
  if (layer.cycles == 0) {
    return {};
  }
  constexpr std::array<const char*, kEngineCount> kNames = {"loads", "array", "vector unit", "stores"};
  constexpr auto kWorking = static_cast<std::size_t>(isa::Cause::kWorking);
  std::size_t busiest = 0;
  for (std::size_t engine = 1; engine < kEngineCount; ++engine) {
    if (layer.causes[engine][kWorking] > layer.causes[busiest][kWorking]) {
      busiest = engine;
    }
  }
  return 2 * layer.causes[busiest][kWorking] >= layer.cycles ? kNames[busiest] : "latency";
}

std::vector<StepReport> joined(std::vector<StepReport> steps) {
  if (std::any_of(steps.begin(), steps.end(), [](const StepReport& step) { return step.stats.cycles > 0; })) {
    for (StepReport& step : steps) {
      step.layers = joined(step.layers);
    }
  }
  return steps;
}

void add_steps(nlohmann::ordered_json& json, const std::vector<StepReport>& steps, int dim) {
  int segments = 0;
  nlohmann::ordered_json host = nlohmann::ordered_json::array();
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const StepReport& step : steps) {
    segments += step.on_device ? 1 : 0;
    if (!step.on_device) {
      host.push_back({{"name", step.name}, {"reason", step.reason}});
    }
    for (const LayerReport& layer : step.layers) {
      layers.push_back(layer_json(layer, dim));
    }
  }
  json["device_segments"] = segments;
  json["host_operators"] = std::move(host);
  json["layers"] = std::move(layers);
}

nlohmann::ordered_json network_json(const std::string& name, const Configuration& configuration,
                                    const std::vector<StepReport>& steps, const std::string& against) {
  RunStats stats;
  std::int64_t predicted = 0;
  for (const StepReport& step : steps) {
    stats += step.stats;
    predicted += step.predicted_cycles;
  }
  nlohmann::ordered_json json;
  json["name"] = name;
  json["config"] = configuration.name;
  json["dim"] = configuration.dim;
  json["cycles"] = stats.cycles;
  json["estimated_cycles"] = std::max<std::int64_t>(0, predicted);
  json["macs"] = stats.useful_macs;
  json["bit_exact"] = nullptr;
  json["compared"] = {{"values", 0}, {"against", against}};
  add_steps(json, joined(steps), configuration.dim);
  return json;
}

void write_report(const std::string& path, const nlohmann::ordered_json& network) {
  const std::string name = network.at("name");
  if (network.at("cycles") == 0) {
    throw InvalidArgument(
        network.at("device_segments") == 0
            ? fmt::format("a report of {}: it ran nothing on the device, so that there are no cycles", name)
            : fmt::format("a report of {}: the functional model has no time; run it on device rtl", name));
  }
  const std::string text = network.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  const std::filesystem::path file = path;
  if (file.extension() != ".json" && file.extension() != ".html") {
    throw InvalidArgument(fmt::format("a report '{}': the name ends in .html, for a page, or in .json", path));
  }
  files::write_file(path, file.extension() == ".json"
                              ? text
                              : html_report(parse_run(text, file.filename().replace_extension(".json")), nullptr));
}

}  // namespace systole::report
