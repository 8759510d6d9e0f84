// SPDX-License-Identifier: Apache-2.0
// Operands of element-wise operators in the shape of the result. Constants are repeated by the compiler; a computed
// channel by a convolution, and positions by moves, except for one position, which kernels repeat themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Whether the tensor has one position, of as many channels as `result`.
bool is_position(const graph::Shape& shape, const graph::Shape& result);

/// A computed operand as a layer sees it.
struct ComputedOperand {
  graph::TensorId id = graph::kNoTensor;
  Image image;
};

/// Operand number `operand` of an element-wise operator in the shape of the result, or as one position if it
/// `may_repeat` and has no more. Adds the layers that broadcast it. Throws Refused when they would be too many moves.
ComputedOperand computed_operand(const graph::Graph& graph, const graph::Operator& op, std::size_t operand,
                                 bool may_repeat, std::vector<Layer>& layers);

/// The moves that broadcast a tensor of shape `from` to shape `to`. Throws Refused when they would be too many.
std::vector<compiler::ByteBox> broadcast_boxes(graph::Shape from, graph::Shape to, std::int64_t element_bytes);

/// A constant tensor as an operand of a layer whose result has shape `result`: one position as it is, if the layer
/// `may_repeat` it, anything else broadcast. The bytes are as the device stores them. Throws Refused for too many
/// bytes.
ConstantOperand constant_operand(const graph::Tensor& tensor, const graph::Shape& result, bool may_repeat = true);

}  // namespace systole::network
