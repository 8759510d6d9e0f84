// SPDX-License-Identifier: Apache-2.0
// Runs networks on the host: slow, and written to be obviously correct. Integer results are exactly those of the
// operator's Arithmetic, computed by sim/golden. Float32 results are computed in double precision and rounded once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::graph {

/// Called after each operator with its results, in the order of Graph::operators.
using Observer = std::function<void(const Operator& op, const std::vector<Value>& outputs)>;

/// Runs a valid graph. `inputs` match Graph::inputs in number, order, type and shape; the results match Graph::outputs.
/// Values are freed after their last use. Throws GraphError if an operator does not support its types or arithmetic,
/// and InvalidArgument if the inputs do not match.
std::vector<Value> execute(const Graph& graph, const std::vector<Value>& inputs, const Observer& observer = {});

/// Runs one operator of a valid graph. `inputs` match Operator::inputs, with null for kNoTensor.
std::vector<Value> execute_operator(const Graph& graph, const Operator& op, const std::vector<const Value*>& inputs);

/// Why execute_operator() refuses an operator of a valid graph, whatever its computed inputs hold; empty if it does
/// not. Runs the operator once. Constant inputs are what they are: an index that does not exist is a refusal.
std::string refusal_of(const Graph& graph, const Operator& op);

/// The value of a constant tensor. Its Tensor::constant must not be null.
Value constant_value(const Tensor& tensor);

}  // namespace systole::graph
