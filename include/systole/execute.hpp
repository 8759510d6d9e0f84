// SPDX-License-Identifier: Apache-2.0
// Networks on the host. Integer results are exactly those of the operator's Arithmetic, computed by sim/golden; moved
// elements are copied; float32 is computed plainly, in double and rounded once. Slow, and meant to be obviously right.
#pragma once

#include <functional>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::graph {

/// Called with an operator and its results, in the order of the graph.
using Observer = std::function<void(const Operator& op, const std::vector<Value>& outputs)>;

/// Runs a valid graph. `inputs` are as Graph::inputs in number, order, type and shape; results are as Graph::outputs.
/// Values are dropped after their last use. Throws GraphError, naming operator and reason, for a combination of
/// operator, types and arithmetic that is not supported, and for inputs that do not fit.
std::vector<Value> execute(const Graph& graph, const std::vector<Value>& inputs, const Observer& observer = {});

/// One operator of a valid graph. `inputs` are as Operator::inputs, null where it has kNoTensor.
std::vector<Value> execute_operator(const Graph& graph, const Operator& op, const std::vector<const Value*>& inputs);

/// The elements of a constant tensor.
Value constant_value(const Tensor& tensor);

}  // namespace systole::graph
