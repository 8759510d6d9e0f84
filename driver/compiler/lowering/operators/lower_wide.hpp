// SPDX-License-Identifier: Apache-2.0
// Element-wise operators with elements of 16 or 32 bits, in TensorFlow Lite's arithmetic, as kernels.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Whether an operand or the result has elements of more than a byte.
bool has_wide_elements(const graph::Graph& graph, const graph::Operator& op);

struct WideCall {
  compiler::KernelCall call;
  std::vector<std::size_t> operands;  ///< of the kernel: numbers of inputs of the operator
};

/// The kernel of an operator of the kinds Unary, Binary and Convert with quantized elements. Throws Refused.
WideCall wide_elementwise_call(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
