// SPDX-License-Identifier: Apache-2.0
// A language model by a description: "llama:64-2-4-128" has tokens of 64 numbers, 2 layers, 4 heads and a context of
// 128 tokens. It is the one that `systole generate` runs (compiler/frontends/llama2): normalized by roots of mean
// squares, positions as rotations, SiLU beside a gate, one matrix for tokens and for what follows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "llama2_checkpoint.hpp"
#include "networks.hpp"

namespace systole::training {

/// Whether a network's name is such a description.
bool is_llama(const std::string& name);

/// Of a vocabulary of so many tokens. Throws InvalidArgument, with the place and what is legal, for a description that
/// is none, and for heads that do not divide the width or have an odd number of numbers.
llama2::Sizes parse_llama(const std::string& name, std::int64_t vocabulary);

/// Tokens, int32 [N, context], to the scores of those that follow, [N * context, vocabulary].
Network llama(const llama2::Sizes& sizes, const NetworkOptions& options);

/// With the parameters of llama(), in its order.
llama2::Checkpoint checkpoint_of(const llama2::Sizes& sizes, const std::vector<graph::Value>& parameters);

}  // namespace systole::training
