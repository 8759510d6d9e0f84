// SPDX-License-Identifier: Apache-2.0
// A sum of vectors of all ranks whose bits do not depend on how the vectors are divided among the ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "ranks.hpp"

namespace systole::ranks {

/// The sum of two vectors, element by element.
using Add = std::function<Bytes(const Bytes& sum, const Bytes& summand)>;

/// ((v0 + v1) + v2) + ..., on all ranks, where v0, v1, ... are rank 0's vectors in their order, then rank 1's, and so
/// on. Each rank has one vector or more. All are equally long; they are cut into `pieces` of one length, so that a rank
/// adds to one piece while the next ranks add to those before it: a chain from the first rank to the last, which then
/// has the sum and gives it to all.
Bytes ordered_sum(Ranks& ranks, const std::vector<Bytes>& mine, std::size_t pieces, const Add& add);

}  // namespace systole::ranks
