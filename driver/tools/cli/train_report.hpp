// SPDX-License-Identifier: Apache-2.0
// What `systole train` says of a training, as text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "checkpoint.hpp"
#include "network_table.hpp"
#include "steps.hpp"
#include "train_options.hpp"
#include "train_scaling.hpp"

namespace systole::cli {

/// A line about the last epoch. No samples a second: all steps were taken before this run.
std::string epoch_text(const training::State& state, double samples_per_second);

/// A line about a checkpoint from which there is nothing to train, with the remedy; else nothing.
std::string nothing_left_text(const std::string& resume, const training::Options& options,
                              const training::State& state);

/// A line about a training that ended for want of patience.
std::string patience_text(const training::State& state);

/// A step's run on a device: its layers, or a line.
std::string step_text(const NetworkRun& run, bool layers, bool micro_batch);

/// What was pruned, and the validations before and after it.
struct PruningReport {
  explicit PruningReport(const training::Steps& steps);
  training::TilePruner::Count tiles;
  std::optional<training::Score> before, after;  ///< none if no epoch with a validation ended there
};
std::string text_of(const PruningReport& pruning, std::int64_t tile);
/// `tiles`, `zeros`, `before` and `after` as in to_json() of epochs, or null.
nlohmann::ordered_json to_json(const PruningReport& pruning);

/// {training, validation} with {loss, accuracy or other metrics} each.
nlohmann::ordered_json to_json(const training::EpochRecord& record);

/// `network`, `settings`, `device`, `samples_per_second`, `losses` of the steps, `epochs` as to_json() has them,
/// `scaling` if it is there, and `best_epoch`, null without a validation.
nlohmann::ordered_json report_json(const TrainOptions& options, const training::Settings& settings,
                                   const training::State& state, double samples_per_second,
                                   const std::optional<Scaling>& scaling);

}  // namespace systole::cli
