// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "export_onnx.hpp"
#include "packing.hpp"
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
  schedule.steps = options.epochs * static_cast<std::int64_t>(problem.data().size()) / options.batch;
  stepper_.emplace(step_, options.optimizer, schedule, options.seed, runner, parallel());
  trainer_.emplace(*stepper_, evaluation_, std::move(between));
  if (!resume.empty()) {
    trainer_->state() = load_checkpoint(resume, step_, evaluation_, settings_, epoch_size());
  }
}

void Steps::check_same(ranks::Ranks& ranks) const {
  const auto continued = [](std::uint64_t digest, const auto& bytes) {  // FNV-1a
    for (const auto byte : bytes) {
      digest = (digest ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
    }
    return digest;
  };
  std::uint64_t digest = continued(0xcbf29ce484222325, settings_.at("training data") + settings_.at("validation data"));
  for (const graph::Value& value : trainer_->state().values) {
    digest = continued(digest, value.data);
  }
  const std::vector<ranks::Bytes> all = ranks.all_gather(ranks::bytes_of(digest));
  const auto other = std::find_if(all.begin(), all.end(), [&](const auto& bytes) { return bytes != all[0]; });
  if (other != all.end()) {
    throw ranks::CommonFailure(
        fmt::format("rank {} has read other samples, another network or another checkpoint than rank 0; every machine "
                    "needs the same files",
                    other - all.begin()));
  }
}

graph::Graph Steps::trained() const {
  const State& state = trainer_->state();
  return with_values(problem_.network(1, Purpose::kExport),
                     state.best ? state.best->parameters : trainer_->parameters());
}

}  // namespace systole::training
