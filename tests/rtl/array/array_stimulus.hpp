// SPDX-License-Identifier: Apache-2.0
// Random legal stimulus for the systolic array: tiles of operand vectors, each tile with its own weights, shadow
// weights written at random in their legal window, and the expected sums from a plain matrix product.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace systole::test {

using Bytes = std::vector<std::int8_t>;
using Sums = std::vector<std::int32_t>;

/// The array's inputs in one cycle. Fields whose valid bit is low are random.
struct ArrayCycle {
  bool act_valid = false;
  bool act_swap = false;
  Bytes act;
  bool wt_valid = false;
  int wt_row = 0;
  Bytes wt;
};

struct ArrayStimulus {
  std::vector<ArrayCycle> cycles;
  std::vector<std::optional<Sums>> expected;  ///< Sums that belong to the vector presented in this cycle.
};

enum class Values { Uniform, Corners, Minimum };

/// Makes stimulus of `tiles` tiles. `gap_percent` of the cycles carry no operand; `tight` swaps as often as is legal.
class ArrayStimulusMaker {
 public:
  ArrayStimulusMaker(int rows, int dim, Values values, int gap_percent, bool tight, std::uint64_t seed)
      : rows_(rows), dim_(dim), values_(values), gap_percent_(gap_percent), tight_(tight), random_(seed) {}

  ArrayStimulus make(int tiles) {
    ArrayStimulus stimulus;
    int previous_swap = -2 * dim_;
    int swap = dim_ + pick(0, dim_);
    for (int tile = 0; tile < tiles; ++tile) {
      std::vector<Bytes> weights(rows_);
      for (auto& row : weights) row = bytes(dim_);
      grow(stimulus, swap + 3 * dim_);
      place_weights(stimulus, weights, previous_swap, swap);
      int cycle = swap;
      const int length = tight_ ? dim_ : pick(1, 3 * dim_);
      for (int vector = 0; vector < length; ++vector, ++cycle) {
        while (vector > 0 && pick(0, 99) < gap_percent_) ++cycle;
        grow(stimulus, cycle + 1);
        ArrayCycle& now = stimulus.cycles[cycle];
        now.act_valid = true;
        now.act_swap = vector == 0;
        now.act = bytes(rows_);
        stimulus.expected[cycle] = product(now.act, weights);
      }
      previous_swap = swap;
      swap = std::max(cycle, swap + dim_);
      if (!tight_ && pick(0, 3) == 0) swap += pick(0, 3 * dim_);
    }
    grow(stimulus, static_cast<int>(stimulus.cycles.size()) + 3 * dim_);
    return stimulus;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  Bytes bytes(int size) {
    static constexpr std::int8_t corners[] = {-128, -127, -1, 0, 1, 126, 127};
    Bytes result(size);
    for (auto& value : result) {
      switch (values_) {
        case Values::Uniform: value = static_cast<std::int8_t>(pick(-128, 127)); break;
        case Values::Corners: value = corners[pick(0, 6)]; break;
        case Values::Minimum: value = -128; break;
      }
    }
    return result;
  }

  void grow(ArrayStimulus& stimulus, int size) {
    while (static_cast<int>(stimulus.cycles.size()) < size) {
      stimulus.cycles.push_back({false, pick(0, 1) == 1, bytes(rows_), false, pick(0, rows_ - 1), bytes(dim_)});
      stimulus.expected.emplace_back();
    }
  }

  /// Row k may be written in cycles previous_swap+k+dim-1 to swap+k-1. Tries random cycles first; if rows collide, the
  /// last legal cycle of each, which is always free.
  void place_weights(ArrayStimulus& stimulus, const std::vector<Bytes>& weights, int previous_swap, int swap) {
    std::vector<int> at(rows_);
    bool placed = false;
    for (int attempt = 0; attempt < 8 && !placed; ++attempt) {
      for (int row = 0; row < rows_; ++row) {
        at[row] = pick(std::max(0, previous_swap + row + dim_ - 1), swap + row - 1);
      }
      std::vector<int> sorted = at;
      std::sort(sorted.begin(), sorted.end());
      placed = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() &&
               std::none_of(at.begin(), at.end(), [&](int cycle) { return stimulus.cycles[cycle].wt_valid; });
    }
    for (int row = 0; row < rows_; ++row) {
      ArrayCycle& now = stimulus.cycles[placed ? at[row] : swap + row - 1];
      now.wt_valid = true;
      now.wt_row = row;
      now.wt = weights[row];
    }
  }

  Sums product(const Bytes& act, const std::vector<Bytes>& weights) const {
    Sums sums(dim_, 0);
    for (int n = 0; n < dim_; ++n) {
      for (int k = 0; k < rows_; ++k) sums[n] += act[k] * weights[k][n];
    }
    return sums;
  }

  int rows_;
  int dim_;  ///< Columns.
  Values values_;
  int gap_percent_;
  bool tight_;
  std::mt19937_64 random_;
};

}  // namespace systole::test
