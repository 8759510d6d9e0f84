// SPDX-License-Identifier: Apache-2.0
// Tensors of 8 bits as the golden model takes them: int8. A uint8 tensor is an int8 tensor whose values and zero point
// are 128 less, and every operator of sim/golden agrees with that but for the ties of average pooling.
#pragma once

#include <vector>

#include "execute_kinds.hpp"
#include "scales.hpp"
#include "tensor.hpp"
#include "window.hpp"

namespace systole::graph {

/// Elements of int8 or uint8.
std::vector<std::int8_t> as_int8(const Value& value);
/// Elements for a tensor of int8 or uint8.
Value from_int8(const std::vector<std::int8_t>& data, const Tensor& tensor);

/// The scale of a tensor that has one, and its zero point as an int8.
golden::Quantization quantization_of(const Tensor& tensor);
/// Its zero point as an int8, 0 of int8 tensors without quantization.
std::int32_t zero_point_of(const Tensor& tensor);

/// Values of int8 that the activation leaves; all of a tensor without quantization, which has no activation.
golden::Clamp clamp_of(Activation activation, const Tensor& output);

/// An image NHWC, or weights OHWI.
golden::Tensor8 tensor8(const Value& value);
/// All elements in one row.
golden::Tensor8 flat8(const Value& value);

}  // namespace systole::graph
