// SPDX-License-Identifier: Apache-2.0
#include "train_report.hpp"

#include <fmt/core.h>

#include "loop.hpp"
#include "terminal.hpp"

namespace systole::cli {

std::string epoch_text(const training::State& state, double samples_per_second) {
  const training::EpochRecord& record = state.history.epochs.back();
  return fmt::format("epoch {}: {}{}{}\n", state.epoch, text_of(record.training),
                     record.validation ? "; validation: " + text_of(*record.validation) : std::string(),
                     samples_per_second > 0 ? fmt::format("; {:.0f} samples a second", samples_per_second) : "");
}

std::string nothing_left_text(const std::string& resume, const training::Options& options,
                              const training::State& state) {
  if (state.epoch > 0 && state.epoch >= options.epochs) {
    return fmt::format("{} is after epoch {} already; --epochs {} leaves nothing to train: give --epochs {} or more\n",
                       resume, state.epoch, options.epochs, state.epoch + 1);
  }
  if (!training::out_of_patience(options, state)) {
    return {};
  }
  const std::int64_t since = state.epoch - state.best->epoch;
  return fmt::format(
      "{} is {} after epoch {}, the best one; --patience {} leaves nothing to train: give --patience {} "
      "or more\n",
      resume, counted(static_cast<std::uint64_t>(since), "epoch"), state.best->epoch, options.patience, since + 1);
}

std::string patience_text(const training::State& state) {
  const training::EpochRecord& best = state.history.epochs.at(static_cast<std::size_t>(state.best->epoch - 1));
  return fmt::format("stopped after {} without a smaller loss; kept epoch {}: {}\n",
                     counted(static_cast<std::uint64_t>(state.epoch - state.best->epoch), "epoch"), state.best->epoch,
                     text_of(*best.validation));
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

PruningReport::PruningReport(const training::Steps& steps) {
  const training::State& state = steps.trainer().state();
  const auto batches = steps.epoch_size().batches;
  const auto validation_of = [&](std::int64_t epoch) -> std::optional<training::Score> {  // counted from 1
    return epoch < 1 || epoch > state.epoch ? std::nullopt
                                            : state.history.epochs[static_cast<std::size_t>(epoch - 1)].validation;
  };
  tiles = steps.pruner()->count(steps.best_parameters());
  before = validation_of(steps.pruner()->begin() / batches);
  after = validation_of(state.best ? state.best->epoch : 0);
}

std::string text_of(const PruningReport& pruning, std::int64_t tile) {
  std::string text = fmt::format("pruned: {} of {} tiles of {} x {} weights are zeros", grouped(pruning.tiles.zeros),
                                 grouped(pruning.tiles.tiles), tile, tile);
  if (pruning.before) {
    text += fmt::format("; validation before: {}", training::text_of(*pruning.before));
  }
  if (pruning.after) {
    text += fmt::format("; after: {}", training::text_of(*pruning.after));
  }
  return text + "\n";
}

namespace {

nlohmann::ordered_json json_of(const training::Score& score) {
  nlohmann::ordered_json json = {{"loss", score.loss}};
  for (const auto& [name, value] : score.metrics) {
    json[name] = value;
  }
  return json;
}

nlohmann::ordered_json json_of(const std::optional<training::Score>& score) {
  return score ? json_of(*score) : nlohmann::ordered_json(nullptr);
}

}  // namespace

nlohmann::ordered_json to_json(const PruningReport& pruning) {
  return {{"tiles", pruning.tiles.tiles},
          {"zeros", pruning.tiles.zeros},
          {"before", json_of(pruning.before)},
          {"after", json_of(pruning.after)}};
}

nlohmann::ordered_json to_json(const training::EpochRecord& record) {
  nlohmann::ordered_json json = {{"training", json_of(record.training)}};
  if (record.validation) {
    json["validation"] = json_of(*record.validation);
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
