// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of the results of products in block floating point, such as the update of weights by their
// gradient, may be computed by the products' own kernels, of the sums in the accumulators. The results then never pass
// through device memory. It is not always faster: while the product runs, other tensors are loaded as well.
#pragma once

#include <optional>

#include "rewritten.hpp"

namespace systole::network {

/// Joins each kernel with the product before it if both together, by themselves, take fewer cycles than they do one
/// after another; nothing if there are none. `cycles` are those of the layers.
std::optional<Rewritten> join_functions(const Segment& segment, const std::vector<std::int64_t>& cycles,
                                        const CyclesOf& cycles_of);

}  // namespace systole::network
