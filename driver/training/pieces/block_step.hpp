// SPDX-License-Identifier: Apache-2.0
// A training step whose products will be in block floating point (quantizer::to_blocks).
#pragma once

#include "systole/graph.hpp"

namespace systole::training {

/// The same step, in which the gradient of a convolution's bias, the sum of its result's gradient over all positions,
/// is another channel of the gradient of the weights: that of an input channel of ones. Its sum is then one of blocks.
/// If `near`, quotients and roots, which are beside products of 8 bits, are near_quotient() and near_root() of
/// sim/golden/functions/near.hpp: a sixth of the vector operations of exact ones.
graph::Graph for_blocks(const graph::Graph& step, bool near = true);

}  // namespace systole::training
