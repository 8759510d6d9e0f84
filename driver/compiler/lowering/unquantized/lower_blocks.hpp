// SPDX-License-Identifier: Apache-2.0
// Products in block floating point: operands become blocks in device memory, and the array's sums are binary32.
#pragma once

#include <vector>

#include "indexed_graph.hpp"
#include "layer.hpp"

namespace systole::network {

/// The layers of an operator in Arithmetic::kBlocks; `plain` as for lower(). Throws Refused.
std::vector<Layer> lower_blocks(const graph::IndexedGraph& graph, const graph::Operator& op, bool plain);

}  // namespace systole::network
