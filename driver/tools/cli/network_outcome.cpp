// SPDX-License-Identifier: Apache-2.0
#include "network_outcome.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "model_files.hpp"

namespace systole::cli {
namespace {

void add(LayerReport& sum, const LayerReport& layer) {
  sum.macs += layer.macs;
  sum.predicted_cycles += layer.predicted_cycles;
  sum.cycles += layer.cycles;
  sum.read_bytes += layer.read_bytes;
  sum.write_bytes += layer.write_bytes;
  systole::add(sum.causes, layer.causes);
}

/// Merges layers without cycles into those before them.
std::vector<LayerReport> joined(const std::vector<LayerReport>& layers) {
  std::vector<LayerReport> result;
  for (const LayerReport& layer : layers) {
    if (layer.cycles > 0 || result.empty()) {
      result.push_back(layer);
      continue;
    }
    add(result.back(), layer);
    result.back().name += fmt::format(", {}", layer.name);
    result.back().shape = layer.shape;
  }
  if (result.size() > 1 && result[0].cycles == 0) {  // there is no layer before the first
    LayerReport& second = result[1];
    add(second, result[0]);
    second.name = fmt::format("{}, {}", result[0].name, second.name);
    result.erase(result.begin());
  }
  return result;
}

std::string line(const char* what, const std::string& value) {
  return value.empty() ? std::string() : fmt::format("{:<11}{}\n", what, value);
}

}  // namespace

void add_samples(NetworkOutcome& outcome, const std::vector<StepReport>& steps, std::size_t operators,
                 std::size_t samples) {
  const std::vector<StepReport> before = outcome.network.steps;
  outcome.network.take(steps, operators);
  outcome.samples += samples;
  for (std::size_t i = 0; i < before.size(); ++i) {
    std::vector<LayerReport>& layers = outcome.network.steps[i].layers;
    for (std::size_t k = 0; k < layers.size(); ++k) {
      add(layers[k], before[i].layers[k]);
    }
  }
}

std::string text_of(const NetworkOutcome& outcome, const Style& style) {
  const Run& run = outcome.network.run;
  std::string text = line("load", outcome.load);
  for (const std::string& remark : outcome.remarks) {
    text += line("", remark);
  }
  text += line("input", outcome.input) + line("quantize", outcome.quantize) + line("compile", outcome.compile) +
          line("deploy", outcome.deploy);
  std::string at_a_time;
  if (outcome.batch > 1) {
    at_a_time = fmt::format(", {} at a time", grouped(outcome.batch));
    if (run.stats.cycles > 0) {
      at_a_time +=
          fmt::format(", {} cycles each", grouped(run.stats.cycles / std::max<std::size_t>(1, outcome.samples)));
    }
  }
  text += line("run", fmt::format("{} on {}{}, {:.3g} s", counted(outcome.samples, "sample"), run.device, at_a_time,
                                  run.simulation_seconds));
  if (outcome.network.steps.empty()) {
    return text + line("operators", places_text(outcome.network)) + line("result", result_text(run, style));
  }
  return text + "\n" + text_of(outcome.network, style);
}

nlohmann::ordered_json to_json(const NetworkOutcome& outcome) {
  NetworkRun network = outcome.network;
  if (network.run.stats.cycles > 0) {
    for (StepReport& step : network.steps) {
      step.layers = joined(step.layers);
    }
  }
  nlohmann::ordered_json json = to_json(network);
  for (nlohmann::ordered_json& layer : json["layers"]) {
    layer["estimated_cycles"] = std::max<std::int64_t>(0, layer["predicted_cycles"].get<std::int64_t>());
  }
  json["samples"] = outcome.samples;
  json["batch"] = outcome.batch;
  json["values_compared"] = network.run.values;
  return json;
}

}  // namespace systole::cli
