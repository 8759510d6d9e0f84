// SPDX-License-Identifier: Apache-2.0
// 8-bit tensors in the representation of the golden model, int8. A uint8 tensor is treated as int8 with values and zero
// point lowered by 128; every operator of sim/golden is invariant under that except for ties of average pooling.
#pragma once

#include <vector>

#include "execute_kinds.hpp"
#include "scales.hpp"
#include "tensor.hpp"
#include "window.hpp"

namespace systole::graph {

/// Converts int8 or uint8 elements.
std::vector<std::int8_t> as_int8(const Value& value);
/// Converts to elements of an int8 or uint8 tensor.
Value from_int8(const std::vector<std::int8_t>& data, const Tensor& tensor);

/// Scale of a quantized tensor, and its zero point as int8.
golden::UniformQuantization quantization_of(const Tensor& tensor);
/// Zero point as int8; 0 for an int8 tensor without quantization.
std::int32_t zero_point_of(const Tensor& tensor);

/// The int8 range that the activation allows; the full range for a tensor without quantization, which has no
/// activation.
golden::Clamp clamp_of(Activation activation, const Tensor& output);

/// An NHWC image, or OHWI weights.
golden::Tensor8 tensor8(const Value& value);
/// All elements in one row.
golden::Tensor8 flat8(const Value& value);

}  // namespace systole::graph
