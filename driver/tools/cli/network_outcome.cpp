// SPDX-License-Identifier: Apache-2.0
#include "network_outcome.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "model_files.hpp"
#include "network_json.hpp"

namespace systole::cli {
namespace {

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
  network.steps = report::joined(std::move(network.steps));
  nlohmann::ordered_json json = to_json(network);
  json["samples"] = outcome.samples;
  json["batch"] = outcome.batch;
  json["values_compared"] = network.run.values;
  return json;
}

}  // namespace systole::cli
