// SPDX-License-Identifier: Apache-2.0
// 16-bit tensors in the representation of the golden model: one scale, zero point 0.
#pragma once

#include "execute_kinds.hpp"
#include "wide.hpp"

namespace systole::graph {

inline float scale_of(const Tensor& tensor) { return tensor.quantization->scale.at(0); }

inline Value int16_value(const std::vector<std::int16_t>& data, const Tensor& tensor) {
  return make_value(ElementType::kInt16, tensor.shape, data);
}

/// The range of values that the activation allows.
golden::Clamp16 clamp16_of(Activation activation, const Tensor& output);

/// An NHWC image.
golden::Tensor16 tensor16(const Value& value);

/// For each element of the input, in memory order, the index of the result element that it is reduced into.
std::vector<std::size_t> reduction_targets(const Shape& input, const Reduce& op);

}  // namespace systole::graph
