// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "systole/generation.hpp"

namespace systole::generation {

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
