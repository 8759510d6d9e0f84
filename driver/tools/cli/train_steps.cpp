// SPDX-License-Identifier: Apache-2.0
#include "train_steps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "exit_codes.hpp"
#include "packing.hpp"
#include "together.hpp"

namespace systole::cli {

using Purpose = TrainInputs::Purpose;

TrainSteps::TrainSteps(const TrainOptions& options, const TrainInputs& inputs, ranks::Ranks& ranks,
                       const TrainRunner& where, const TrainStop& stop)
    : options_(options), where_(where), settings_(inputs.settings()) {
  const std::int64_t batch = options.shape.batch, parts = options.micro_batches;
  if (batch % parts != 0) {
    throw InputError(fmt::format("--micro-batches: {} equal parts of a batch of {} do not exist", parts, batch));
  }
  if (parts < ranks.size()) {
    throw InputError(
        fmt::format("--micro-batches: {} for {} ranks; each rank computes one or more of them: give {} or a multiple",
                    parts, ranks.size(), ranks.size()));
  }
  build(inputs, ranks);
  training::Schedule schedule = options.schedule;
  schedule.steps = options.epochs * static_cast<std::int64_t>(inputs.data().size()) / batch;
  trainer_.emplace(step_, evaluation_, options.optimizer, schedule, options.device.seed,
                   stop.stopping(where.run, evaluation_.graph), parallel_ ? &*parallel_ : nullptr);
  if (trainer_->batches(inputs.data()) == 0) {
    throw InputError(fmt::format("--batch: {} pictures are fewer than a batch of {}", inputs.data().size(), batch));
  }
  if (!options.resume.empty()) {
    trainer_->state() =
        training::load_checkpoint(options.resume, step_, evaluation_, settings_, trainer_->epoch_size(inputs.data()));
  }
}

void TrainSteps::build(const TrainInputs& inputs, ranks::Ranks& ranks) {
  const std::int64_t batch = options_.shape.batch, parts = options_.micro_batches;
  if (parts == 1) {
    step_ = training::training_step(inputs.network(batch, Purpose::kWholeBatch), options_.optimizer);
  } else {
    split_ = training::split_step(inputs.network(batch / parts, Purpose::kMicroBatch), options_.optimizer, parts);
    step_ = split_.update;
    parallel_.emplace(split_, parts, ranks, options_.link, where_.run);
  }
  evaluation_ = training::evaluation_step(inputs.network(batch, Purpose::kEvaluation));
}

void TrainSteps::check_same(ranks::Ranks& ranks) const {
  std::uint64_t digest = digest_of(settings_.at("training data") + settings_.at("validation data"));
  for (const graph::Value& value : trainer_->state().values) {
    digest = digest_of(value.data, digest);
  }
  const std::vector<ranks::Bytes> all = ranks.all_gather(ranks::bytes_of(digest));
  const auto other = std::find_if(all.begin(), all.end(), [&](const auto& bytes) { return bytes != all[0]; });
  if (other != all.end()) {
    throw ranks::CommonFailure(
        fmt::format("rank {} has read other pictures, another network or another checkpoint than rank 0; every machine "
                    "needs the same files",
                    other - all.begin()));
  }
}

std::optional<Scaling> TrainSteps::scaling() const {
  return parallel_ ? std::optional(scaling_of(*parallel_, split_, where_, options_.link, options_.micro_batches))
                   : std::nullopt;
}

}  // namespace systole::cli
