// SPDX-License-Identifier: Apache-2.0
// Transpositions of words as matrices.
#pragma once

#include <optional>
#include <vector>

#include "kernels.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// The transposition of a tensor of words as that of matrices, if its last axis becomes another one, and those behind
/// the one that comes last now are at most two when neighbours that stay together are one.
std::optional<compiler::WordTransposition> word_transposition(const graph::Shape& shape,
                                                              const std::vector<int>& permutation);

}  // namespace systole::network
