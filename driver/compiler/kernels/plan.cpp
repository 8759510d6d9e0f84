// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace systole::compiler {
namespace {

constexpr std::int64_t kTuneBelow = 100'000;   // cycles: in longer products start and end do not matter
constexpr double kWorth = 0.998;               // a later candidate, with smaller tiles, must take less than this share
                                               // of the best
constexpr std::int64_t kTuneAllBelow = 5'000;  // cycles: in shorter products start and end may decide between
                                               // candidates
constexpr double kPromising = 1.1;             // those candidates within this factor of the best are tuned, too
constexpr double kHopeless = 1.5;              // a way of loading that is this much slower is not tried with other
                                               // tilings
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

class Planner {
 public:
  Planner(Builder& builder, const std::vector<Candidate>& candidates, const Output& output, const OutputStage& stage,
          HeldWeights& held)
      : builder_(builder), candidates_(candidates), output_(output), stage_(stage), held_(held) {
    for (const Candidate& candidate : candidates) {
      sources_.push_back(candidate.activations());
    }
    if (held.entries.empty()) {
      context_cycles_ = builder.empty() ? 0 : builder.fork().estimated_cycles();
    }
  }

  void run() {
    const ProductTuning usual{4, builder_.dim(), 1, 4};
    std::vector<std::int64_t> cycles(candidates_.size(), kNever);
    std::map<const Weights*, std::int64_t> best_of;  // the weights identify the way of loading
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const bool narrow = sources_[i]->shape(0).positions() < builder_.dim();
      const auto known = best_of.find(candidates_[i].weights);
      const bool hopeless =
          known != best_of.end() && static_cast<double>(known->second) > kHopeless * static_cast<double>(best_cycles_);
      if (best_cycles_ != kNever && (narrow || hopeless)) {
        continue;
      }
      cycles[i] = attempt(i, usual, kWorth);
      if (cycles[i] != kNever) {
        auto [entry, inserted] = best_of.emplace(candidates_[i].weights, cycles[i]);
        entry->second = std::min(entry->second, cycles[i]);
      }
    }
    if (best_cycles_ == kNever) {
      throw DoesNotFit(reason_ ? reason_->what() : "no candidate");
    }
    if (best_cycles_ < kTuneBelow) {
      const double limit = kPromising * static_cast<double>(best_cycles_);
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (i == best_ || (best_cycles_ < kTuneAllBelow && static_cast<double>(cycles[i]) < limit)) {
          tune(i);
        }
      }
    }
    emit(builder_, best_, best_tuning_, held_);
  }

  /// The first candidate that fits, without a ramp: most weights are in the ring.
  void go_on() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      try {
        emit(builder_, i, {1, 0, 1, 1}, held_);
        return;
      } catch (const DoesNotFit& error) {  // before anything was appended
        reason_ = error;
      }
    }
    throw DoesNotFit(reason_ ? reason_->what() : "no candidate");
  }

 private:
  void emit(Builder& builder, std::size_t i, const ProductTuning& tuning, HeldWeights& held) const {
    emit_product(builder, *sources_[i], *candidates_[i].weights, candidates_[i].blocks, output_, stage_, tuning, held);
  }

  /// Times a candidate and keeps it if it takes less than `worth` times the best.
  std::int64_t attempt(std::size_t i, const ProductTuning& tuning, double worth) {
    Builder trial = builder_.fork();
    HeldWeights held = held_;
    try {
      emit(trial, i, tuning, held);
    } catch (const DoesNotFit& error) {
      reason_ = error;
      return kNever;
    }
    const std::int64_t cycles =
        std::max<std::int64_t>(1, trial.estimated_cycles() - context_cycles_ + fetches(i, trial));
    if (static_cast<double>(cycles) < worth * static_cast<double>(best_cycles_)) {
      best_ = i;
      best_tuning_ = tuning;
      best_cycles_ = cycles;
    }
    return cycles;
  }

  /// Beats of the instructions of a product that takes a few positions in block floating point: the way from device
  /// memory is all but full then, which later operators feel.
  std::int64_t fetches(std::size_t i, const Builder& trial) const {
    if (!is_narrow(i)) {
      return 0;
    }
    const int beats = ceil_div(static_cast<int>(isa::kInstructionBytes), builder_.dim());
    return std::int64_t{beats} * (trial.instructions() - builder_.instructions());
  }
  bool is_narrow(std::size_t i) const {
    return candidates_[i].weights->block_float() && sources_[i]->shape(0).positions() <= kernel::kStripRows;
  }

  void tune(std::size_t i) {
    const int dim = builder_.dim();
    // The distinct values, limited to what this product can use.
    const auto up_to = [](std::set<int> values, int most) {
      std::set<int> limited;
      for (const int value : values) {
        limited.insert(std::min(value, most));
      }
      return limited;
    };
    if (is_narrow(i)) {
      attempt(i, {1, 0, 1, 1}, i == best_ ? 1.0 : kWorth);
    }
    const int all_positions = sources_[i]->shape(0).positions();
    for (const int columns : up_to({1, 2, 3, 4, 8}, ceil_div(output_.columns, dim))) {
      for (const int positions : up_to({dim, 2 * dim, 4 * dim, 16 * dim}, all_positions)) {
        for (const int blocks : up_to({1, 2, 4, 1 << 14}, candidates_[i].blocks)) {
          attempt(i, {columns, positions, blocks, 2}, i == best_ ? 1.0 : kWorth);
          attempt(i, {columns, positions, blocks, 4}, i == best_ ? 1.0 : kWorth);
        }
      }
    }
    if (best_ == i) {
      for (const int parts : {1, 3, 6, 8}) {
        ProductTuning tuning = best_tuning_;
        tuning.tail_parts = parts;
        attempt(i, tuning, 1.0);
      }
    }
  }

  Builder& builder_;
  const std::vector<Candidate>& candidates_;
  const Output output_;
  const OutputStage stage_;
  HeldWeights& held_;
  std::vector<std::unique_ptr<Activations>> sources_;
  std::size_t best_ = 0;
  ProductTuning best_tuning_;
  std::int64_t best_cycles_ = kNever;
  std::int64_t context_cycles_ = 0;  // estimated cycles of what was appended before
  std::optional<DoesNotFit> reason_;
};

}  // namespace

void emit_best_product(Builder& builder, const std::vector<Candidate>& candidates, const Output& output,
                       const OutputStage& stage, HeldWeights& held) {
  Planner planner(builder, candidates, output, stage, held);
  if (held.entries.empty()) {
    planner.run();
  } else {
    planner.go_on();
  }
}

}  // namespace systole::compiler
