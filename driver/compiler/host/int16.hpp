// SPDX-License-Identifier: Apache-2.0
// Tensors of 16 bits as the golden model takes them: with one scale, their zero point 0.
#pragma once

#include "execute_kinds.hpp"
#include "type_checks.hpp"
#include "wide.hpp"

namespace systole::graph {

inline float scale_of(const Tensor& tensor) { return tensor.quantization->scale.at(0); }

inline Value int16_value(const std::vector<std::int16_t>& data, const Tensor& tensor) {
  return make_value(ElementType::kInt16, tensor.shape, data);
}

/// Values that the activation leaves.
golden::Clamp16 clamp16_of(Activation activation, const Tensor& output);

/// An image NHWC.
golden::Tensor16 tensor16(const Value& value);

/// For each element of the input, in the order of memory, which element of the result it goes into.
std::vector<std::size_t> reduction_targets(const Shape& input, const Reduce& op);

}  // namespace systole::graph
