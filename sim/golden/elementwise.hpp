// SPDX-License-Identifier: Apache-2.0
//
// Element-wise operators on NHWC tensors, with broadcasting of dimensions of 1.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "pooling.hpp"
#include "systole/operator_types.hpp"
#include "tensor.hpp"

namespace systole::golden {

// TensorFlow Lite's ADD: the operands minus their zero points are scaled up by 2^kAddLeftShift, rescaled to a common
// scale by factors below 1, added, and requantized.
inline constexpr int kAddLeftShift = 20;

// The scales of the operands have shifts <= 0, so that the sum fits in int32.
Tensor8 add(const Tensor8& lhs, const Tensor8& rhs, const AddParams& params);

// TensorFlow Lite's SUB: as ADD, with the difference.
Tensor8 subtract(const Tensor8& lhs, const Tensor8& rhs, const AddParams& params);

// TensorFlow Lite's MUL: the product of the operands minus their zero points, requantized.
Tensor8 multiply(const Tensor8& lhs, const Tensor8& rhs, const MultiplyParams& params);

// Lookup table of an activation, indexed by the input as an unsigned byte: entry 0 is the value for 0, entry 127 that
// for 127, entry 128 that for -128, entry 255 that for -1.
using LookupTable = std::array<std::int8_t, 256>;

LookupTable make_lookup_table(const std::function<std::int8_t(std::int8_t)>& function);
Tensor8 lookup(const Tensor8& input, const LookupTable& table);

}  // namespace systole::golden
