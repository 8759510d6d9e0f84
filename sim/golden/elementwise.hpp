// SPDX-License-Identifier: Apache-2.0
//
// Element-wise operators of NHWC tensors. Two operands may differ in a dimension where one of them
// is 1, which then repeats.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "pooling.hpp"
#include "systole/operator_types.hpp"
#include "tensor.hpp"

namespace systole::golden {

// TensorFlow Lite's ADD: both operands less their zero points, scaled up by 2^kAddLeftShift, are
// brought to a common scale by factors below 1, added, and requantized.
inline constexpr int kAddLeftShift = 20;

// The scales of the operands have shifts <= 0, so that the sum fits in int32.
Tensor8 add(const Tensor8& lhs, const Tensor8& rhs, const AddParams& params);

// TensorFlow Lite's SUB: the same with the difference.
Tensor8 subtract(const Tensor8& lhs, const Tensor8& rhs, const AddParams& params);

// TensorFlow Lite's MUL: the product of both operands less their zero points, requantized.
Tensor8 multiply(const Tensor8& lhs, const Tensor8& rhs, const MultiplyParams& params);

// A table activation. The index is the byte of the input as unsigned: entry 0 is the value of 0,
// entry 127 that of 127, entry 128 that of -128, entry 255 that of -1.
using LookupTable = std::array<std::int8_t, 256>;

LookupTable make_lookup_table(const std::function<std::int8_t(std::int8_t)>& function);
Tensor8 lookup(const Tensor8& input, const LookupTable& table);

}  // namespace systole::golden
