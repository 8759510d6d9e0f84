// SPDX-License-Identifier: Apache-2.0
// What `systole train` says about several devices.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "data_parallel.hpp"
#include "scaling.hpp"
#include "train_runner.hpp"

namespace systole::cli {

struct Scaling {
  int ranks = 1;
  std::int64_t micro_batches = 1, samples = 0;  ///< of a step; samples of a micro-batch
  std::size_t pieces = 1;
  training::StepCost cost;
  std::size_t on_host = 0;  ///< operators of the host in gradient, addition and update
  bool timed = false;       ///< whether the device counts cycles
};

/// Of a training that has taken a step or more; called by all ranks.
Scaling scaling_of(const training::DataParallel& parallel, const training::SplitStep& step, const TrainRunner& runner,
                   const ranks::Link& link, const std::string& topology, std::int64_t micro_batches);

std::string text_of(const Scaling& scaling);

/// `ranks`, `micro_batches`, `bytes`, `pieces`, `link`, `exchange_cycles` and `ring_sum_cycles` by the link alone; with
/// a device that counts cycles `compute` and `devices` [{devices, step_cycles, exchange_cycles, speedup}], else null.
nlohmann::ordered_json to_json(const Scaling& scaling);

}  // namespace systole::cli
