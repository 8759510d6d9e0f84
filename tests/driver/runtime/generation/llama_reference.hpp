// SPDX-License-Identifier: Apache-2.0
// The transformer of llama2.c in double, straight from the bytes of its file, for a whole text at once.
#pragma once

#include <vector>

#include "../../compiler/frontends/llama2/made_llama.hpp"

namespace systole::generation::test {

/// What a file of llama2.c does not say: the base of the angles, and what normalizations add to the mean.
struct Unwritten {
  double base = 10'000, epsilon = 1e-5;
};

/// For each token the logits of the next one.
std::vector<std::vector<double>> reference_logits(const graph::Bytes& file, const std::vector<int>& tokens,
                                                  const Unwritten& unwritten = {});

}  // namespace systole::generation::test
