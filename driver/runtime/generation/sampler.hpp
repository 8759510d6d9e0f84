// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace systole::generation {

struct Sampling {
  double temperature = 0;  ///< 0: always the most probable token; above 0 and up to 100: logits are divided by it
  double top_p = 1;        ///< above 0, at most 1: only the most probable tokens that together have this probability
  std::uint64_t seed = 1;  ///< not 0
};

/// Chooses the next token. The random numbers are those of llama2.c for the same seed.
class Sampler {
 public:
  /// Throws InvalidArgument for a number out of range.
  explicit Sampler(const Sampling& sampling);

  /// Of equal logits the first is the most probable.
  int choose(const std::vector<float>& logits);

 private:
  double random();  ///< from 0 to below 1

  const Sampling sampling_;
  std::uint64_t state_;
};

}  // namespace systole::generation
