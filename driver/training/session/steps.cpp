// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "export_onnx.hpp"
#include "packing.hpp"
#include "raw_columns.hpp"
#include "systole/errors.hpp"
#include "together.hpp"

namespace systole::training {

using Purpose = NetworkSource::Purpose;

Steps::Steps(const Problem& problem, ranks::Ranks& ranks, const ranks::Link& link, const Runner& runner,
             const std::string& resume, std::function<void()> between)
    : problem_(problem), settings_(problem.settings()) {
  const Options& options = problem.options();
  const std::int64_t parts = options.micro_batches;
  if (parts < ranks.size()) {
    throw InvalidArgument(
        fmt::format("--micro-batches: {} for {} ranks; each rank computes one or more of them: give {} or a multiple",
                    parts, ranks.size(), ranks.size()));
  }
  if (parts == 1) {
    step_ = training_step(problem.network(options.batch, Purpose::kWholeBatch), options.optimizer);
  } else {
    split_ = split_step(problem.network(options.batch / parts, Purpose::kMicroBatch), options.optimizer, parts);
    step_ = split_.update;
    parallel_.emplace(split_, parts, ranks, link, runner);
  }
  evaluation_ = evaluation_step(problem.network(options.batch, Purpose::kEvaluation));
  Schedule schedule = options.schedule;
  schedule.steps = options.epochs * (static_cast<std::int64_t>(problem.data().size()) / options.batch);
  if (options.pruning.share > 0) {
    pruner_.emplace(options.pruning, problem.network(1, Purpose::kEvaluation), schedule.steps);
  }
  stepper_.emplace(step_, options.optimizer, schedule, options.seed, runner, parallel(), pruner());
  trainer_.emplace(*stepper_, evaluation_, std::move(between));
  if (!resume.empty()) {
    trainer_->state() = load_checkpoint(resume, step_, evaluation_, settings_, epoch_size());
  }
}

void Steps::check_same(ranks::Ranks& ranks) const {
  Digest digest;
  for (const char* samples : {"training data", "validation data"}) {
    digest.add(settings_.at(samples));
  }
  for (const graph::Value& value : trainer_->state().values) {
    digest.add(value.data);
  }
  const std::vector<ranks::Bytes> all = ranks.all_gather(ranks::bytes_of(digest.value()));
  const auto other = std::find_if(all.begin(), all.end(), [&](const auto& bytes) { return bytes != all[0]; });
  if (other != all.end()) {
    throw ranks::CommonFailure(
        fmt::format("rank {} has read other samples, another network or another checkpoint than rank 0; every machine "
                    "needs the same files",
                    other - all.begin()));
  }
}

std::vector<graph::Value> Steps::best_parameters() const {
  const State& state = trainer_->state();
  return state.best ? state.best->parameters : trainer_->parameters();
}

graph::Graph Steps::trained() const {
  return with_raw_columns(with_values(problem_.network(1, Purpose::kExport), best_parameters()), problem_.columns());
}

}  // namespace systole::training
