// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of ONNX's quantized operators: inputs of the node there, properties of the tensor here.
#pragma once

#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {

/// The node's inputs `scale` and `zero_point` (optional, default 0) for a tensor of this type; both constant, one
/// value.
Quantization one_scale(Translation& t, std::size_t scale, std::size_t zero_point, ElementType type);
/// The same, with one value or one for each index of `axis`.
Quantization scales(Translation& t, std::size_t scale, std::size_t zero_point, const Tensor& tensor, int axis);
/// Scale 1 and the zero points of an input, for plain integers.
Quantization zero_points(Translation& t, std::size_t zero_point, const Tensor& tensor, int axis);

/// Whether the input is absent, constant, or given in the options.
bool is_constant_parameter(Translation& t, std::size_t i);

/// The result type that the type of the node's zero point (constant or not) defines.
ElementType type_of_zero_point(const Translation& t, std::size_t i);

}  // namespace systole::graph::onnx_file
