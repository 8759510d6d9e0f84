// SPDX-License-Identifier: Apache-2.0
// Formulas of quantized and other integer elements, in the arithmetic of TensorFlow Lite's reference kernels where they
// have scales.
#pragma once

#include <string>

#include "expression.hpp"
#include "functions/words.hpp"
#include "systole/requantize.hpp"

namespace systole::network {

/// Operand number `i` of a formula, as an integer.
inline compiler::IntWord integer(std::uint32_t i) { return compiler::IntWord(compiler::operand(i)); }
/// As binary32.
inline compiler::FloatWord real(std::uint32_t i) { return compiler::FloatWord(compiler::operand(i)); }
/// An argument of the kernel.
inline compiler::IntWord given(const char* name) { return compiler::IntWord(compiler::parameter(name)); }
inline compiler::FloatWord given_real(const char* name) { return compiler::FloatWord(compiler::parameter(name)); }

/// a times 2^left, times a multiplier that is an argument, `name`, over 2^31, over 2^right: with two roundings.
inline compiler::IntWord rescaled(const compiler::IntWord& a, const char* name, int left, int right) {
  return shift_round(multiply_high(shift_saturate(a, left), given(name)), right);
}
/// The same with the shift of a scale.
inline compiler::IntWord rescaled(const compiler::IntWord& a, const char* name, const QuantParam& scale) {
  return rescaled(a, name, scale.shift > 0 ? scale.shift : 0, scale.shift < 0 ? -scale.shift : 0);
}

/// 1 where all bits are ones, 0 where none is: a byte of bool.
inline compiler::IntWord as_bool(const compiler::IntWord& holds) { return holds & 1; }

}  // namespace systole::network
