// SPDX-License-Identifier: Apache-2.0
#include "train_report.hpp"

#include <fmt/core.h>

#include "terminal.hpp"

namespace systole::cli {

std::string epoch_text(const training::State& state) {
  const training::EpochRecord& record = state.history.epochs.back();
  const auto score = [](const training::Score& of) {
    return fmt::format("loss {:.4f}, accuracy {:.2f} %", of.loss, 100 * of.accuracy);
  };
  return fmt::format("epoch {}: {}{}\n", state.epoch, score(record.training),
                     record.validation ? "; validation: " + score(*record.validation) : std::string());
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

nlohmann::ordered_json report_json(const TrainOptions& options, const training::Settings& settings,
                                   const training::State& state, double pictures_per_second,
                                   const std::optional<Scaling>& scaling) {
  const auto of_score = [](const training::Score& score) {
    return nlohmann::ordered_json{{"loss", score.loss}, {"accuracy", score.accuracy}};
  };
  nlohmann::ordered_json json = {{"network", options.network},      {"settings", settings},
                                 {"device", options.device.device}, {"pictures_per_second", pictures_per_second},
                                 {"losses", state.history.losses},  {"epochs", nlohmann::ordered_json::array()}};
  for (const training::EpochRecord& record : state.history.epochs) {
    json["epochs"].push_back({{"training", of_score(record.training)}});
    if (record.validation) {
      json["epochs"].back()["validation"] = of_score(*record.validation);
    }
  }
  if (scaling) {
    json["scaling"] = to_json(*scaling);
  }
  json["best_epoch"] = state.best ? nlohmann::ordered_json(state.best->epoch) : nlohmann::ordered_json(nullptr);
  return json;
}

}  // namespace systole::cli
