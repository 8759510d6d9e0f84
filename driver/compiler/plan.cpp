// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <limits>
#include <optional>
#include <utility>

namespace systole::compiler {
namespace {

constexpr std::int64_t kTuneBelow = 100'000;  // cycles

constexpr double kWorth = 0.998;             // what a later candidate, with smaller tiles, must save

struct Choice {
  std::size_t candidate = 0;
  ProductTuning tuning;
  std::int64_t cycles = std::numeric_limits<std::int64_t>::max();
};

}  // namespace

void emit_best_product(Builder& builder, const std::vector<Candidate>& candidates, const Output& output,
                       const OutputStage& stage) {
  const int dim = builder.dim();
  Choice best;
  std::optional<DoesNotFit> reason;
  std::vector<std::unique_ptr<Activations>> sources;
  for (const Candidate& candidate : candidates) {
    sources.push_back(candidate.activations());
  }
  const auto attempt = [&](std::size_t i, const ProductTuning& tuning, double worth) {
    Builder trial(builder.configuration(), builder.space());
    try {
      emit_product(trial, *sources[i], *candidates[i].weights, candidates[i].blocks, output, stage, tuning);
    } catch (const DoesNotFit& error) {
      reason = error;
      return;
    }
    const std::int64_t cycles = trial.estimated_cycles();
    if (static_cast<double>(cycles) < worth * static_cast<double>(best.cycles)) {
      best = {i, tuning, cycles};
    }
  };
  const ProductTuning usual{4, dim, 1, 4};
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool narrow = sources[i]->shape(0).positions() < dim;
    if (!narrow || best.cycles == std::numeric_limits<std::int64_t>::max()) {
      attempt(i, usual, kWorth);
    }
  }
  if (best.cycles == std::numeric_limits<std::int64_t>::max()) {
    throw DoesNotFit(reason ? reason->what() : "no candidate");
  }
  // Both ends matter only when there is little in between.
  const std::size_t chosen = best.candidate;
  if (best.cycles < kTuneBelow) {
    for (const int columns : {1, 2, 3, 4, 8}) {
      for (const int positions : {dim, 2 * dim, 4 * dim, 16 * dim}) {
        for (const int blocks : {1, 2, 4, 1 << 14}) {
          attempt(chosen, {columns, positions, blocks, 2}, 1.0);
          attempt(chosen, {columns, positions, blocks, 4}, 1.0);
        }
      }
    }
    const ProductTuning found = best.tuning;
    for (const int parts : {1, 2, 3, 4, 6, 8}) {
      attempt(chosen, {found.ramp_columns, found.ramp_positions, found.ramp_blocks, parts}, 1.0);
    }
  }
  emit_product(builder, *sources[best.candidate], *candidates[best.candidate].weights, candidates[best.candidate].blocks,
               output, stage, best.tuning);
}

}  // namespace systole::compiler
