// SPDX-License-Identifier: Apache-2.0
// Graphs whose matrix products are computed in blocks (sim/golden/block_float.md), all else as always.
#pragma once

#include "language_model.hpp"

namespace systole::generation::test {

/// A Prepare (language_model.hpp) for graphs whose products are Dense without bias and MatMul.
Run in_blocks(graph::Graph graph);

}  // namespace systole::generation::test
