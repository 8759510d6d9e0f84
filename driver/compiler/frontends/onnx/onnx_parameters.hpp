// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of ONNX's quantized operators, which are inputs there and belong to tensors here.
#pragma once

#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {

/// The node's inputs `scale` and `zero_point` (which may be left out: 0) for a tensor of this type; both constant, one
/// value.
Quantization one_scale(Translation& t, std::size_t scale, std::size_t zero_point, ElementType type);
/// The same with one value or one for each index of `axis` of the tensor.
Quantization scales(Translation& t, std::size_t scale, std::size_t zero_point, const Tensor& tensor, int axis);
/// Scale 1 and the zero points of an input, of integers that are numbers.
Quantization zero_points(Translation& t, std::size_t zero_point, const Tensor& tensor, int axis);

/// Whether the input is left out, constant, or its value was given.
bool is_constant_parameter(Translation& t, std::size_t i);

/// The type that the node's zero point, a constant or not, gives its result.
ElementType type_of_zero_point(const Translation& t, std::size_t i);

}  // namespace systole::graph::onnx_file
