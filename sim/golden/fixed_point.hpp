// SPDX-License-Identifier: Apache-2.0
//
// Operators that TensorFlow Lite's reference kernels compute in gemmlowp's fixed point: softmax, and functions of one
// int8, as lookup tables of 256 values (elementwise.hpp). All are defined for int8 with TensorFlow Lite's order of
// operations; a uint8 tensor is treated as int8 with values and zero point lowered by 128. Every function throws
// InvalidArgument, naming the value, for a scale or a zero point that the kernels refuse.
#pragma once

#include <array>
#include <cstdint>

#include "elementwise.hpp"
#include "scales.hpp"
#include "tensor.hpp"

namespace systole::golden {

// LOGISTIC and TANH: Q4.27 in, Q0.31 out. The results have scale 1/256 and zero point -128, and
// scale 1/128 and zero point 0.
LookupTable logistic_table(const UniformQuantization& input);
LookupTable tanh_table(const UniformQuantization& input);

// HARD_SWISH in 16 bits: x * relu6(x + 3) / 6.
LookupTable hard_swish_table(const UniformQuantization& input, const UniformQuantization& output);

// exp(d * scale * beta) for the difference d of an element from the greatest, as SOFTMAX takes it: Q0.31 at index d
// modulo 256 for d = -255 .. 0; 0 for differences that it leaves out. beta * scale must exceed 2^-26.
std::array<std::int32_t, 256> softmax_exponentials(float input_scale, float beta);

// SOFTMAX along the innermost dimension, exp(beta * x) over its sum; Q5.26 in. The result has scale 1/256 and zero
// point -128. beta * scale must exceed 2^-26. For a sum of 512 or more the kernel shifts by more than 31 bits, which is
// undefined in C++: such a shift gives 0 here, that is -128, since no share is above half of a step.
Tensor8 softmax(const Tensor8& input, float input_scale, float beta);
// The same with scale 1/65536 and zero point -32768. A sum of 4096 or more, which the kernel's word cannot hold, is
// held here.
Tensor16 softmax_to_int16(const Tensor8& input, float input_scale, float beta);

}  // namespace systole::golden
