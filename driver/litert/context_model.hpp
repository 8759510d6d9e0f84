// SPDX-License-Identifier: Apache-2.0
// A part of the interpreter's graph as a file of TensorFlow Lite, which the importer of such files reads.
#pragma once

#include <vector>

#include "litert_api.hpp"
#include "systole/graph.hpp"

namespace systole::litert {

struct Part {
  std::vector<int> nodes;            ///< as the context counts them, in the order of execution
  std::vector<int> inputs, outputs;  ///< tensors, as the context counts them; constants are no inputs
};

/// All nodes of the execution plan, with what no node makes as inputs and what no node takes as outputs. Throws Failure
/// when the interpreter does not give them.
Part whole_plan(Context& context);

/// The file. Its operators are those of `part` in order; its tensors have the context's numbers. Throws Failure for
/// constants of more than a file can have.
graph::Bytes model_of(Context& context, const Part& part);

/// A node of the context. Throws Failure when the interpreter does not give it.
struct NodeView {
  const Node* node = nullptr;
  const Registration* kernel = nullptr;
};
NodeView node_of(Context& context, int index);

/// The tensors of a list that are there.
std::vector<int> present(const Indices* tensors);

}  // namespace systole::litert
