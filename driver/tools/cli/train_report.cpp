// SPDX-License-Identifier: Apache-2.0
#include "train_report.hpp"

#include <fmt/core.h>

#include "terminal.hpp"

namespace systole::cli {

std::string epoch_text(const training::State& state, double samples_per_second) {
  const training::EpochRecord& record = state.history.epochs.back();
  return fmt::format("epoch {}: {}{}; {:.0f} samples a second\n", state.epoch, text_of(record.training),
                     record.validation ? "; validation: " + text_of(*record.validation) : std::string(),
                     samples_per_second);
}

std::string step_text(const NetworkRun& run, bool layers, bool micro_batch) {
  if (layers) {
    return "\n" + text_of(run, style_of(stdout));
  }
  const RunStats& stats = run.run.stats;
  std::string text = fmt::format("a step{}: {}", micro_batch ? " of a micro-batch" : "", places_text(run));
  if (stats.cycles != 0) {
    text += fmt::format(", {} cycles, utilization {}", grouped(stats.cycles), percent(run.run.utilization()));
  }
  text += "\n";
  if (!run.nonfinite.empty()) {
    text += fmt::format("not finite: an infinity or a NaN in a block, first in {}\n", run.nonfinite);
  }
  return text;
}

nlohmann::ordered_json to_json(const training::EpochRecord& record) {
  const auto of_score = [](const training::Score& score) {
    nlohmann::ordered_json json = {{"loss", score.loss}};
    for (const auto& [name, value] : score.metrics) {
      json[name] = value;
    }
    return json;
  };
  nlohmann::ordered_json json = {{"training", of_score(record.training)}};
  if (record.validation) {
    json["validation"] = of_score(*record.validation);
  }
  return json;
}

nlohmann::ordered_json report_json(const TrainOptions& options, const training::Settings& settings,
                                   const training::State& state, double samples_per_second,
                                   const std::optional<Scaling>& scaling) {
  nlohmann::ordered_json json = {{"network", options.network.name}, {"settings", settings},
                                 {"device", options.device.device}, {"samples_per_second", samples_per_second},
                                 {"losses", state.history.losses},  {"epochs", nlohmann::ordered_json::array()}};
  for (const training::EpochRecord& record : state.history.epochs) {
    json["epochs"].push_back(to_json(record));
  }
  if (scaling) {
    json["scaling"] = to_json(*scaling);
  }
  json["best_epoch"] = state.best ? nlohmann::ordered_json(state.best->epoch) : nlohmann::ordered_json(nullptr);
  return json;
}

}  // namespace systole::cli
