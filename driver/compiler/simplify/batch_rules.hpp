// SPDX-License-Identifier: Apache-2.0
// Which operators treat every position of the first axis alike, so that the samples of a batch can stand there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

/// An input of an operator in the network of one sample.
struct BatchedOperand {
  Shape shape;
  bool varies = false;  ///< depends on the sample
};
using BatchedOperands = std::vector<BatchedOperand>;

/// Why the operator cannot compute a batch; empty if it can. At least one operand varies.
std::string batch_refusal(const OperatorKind& kind, const BatchedOperands& operands, const Shape& output);

/// Whether a batch needs operand `index`, which does not vary, once for every sample.
bool is_repeated(const OperatorKind& kind, std::size_t index, const BatchedOperands& operands, const Shape& output);

}  // namespace systole::graph
