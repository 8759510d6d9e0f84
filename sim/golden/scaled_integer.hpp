// SPDX-License-Identifier: Apache-2.0
// Integers times powers of two, rounded to binary32 once. Everything is done with integers: the host's rounding mode
// and fused operations have no influence.
#pragma once

#include <cstdint>

namespace systole::golden {

/// value / 2^shift, to nearest, ties to even. |value| is below 2^61, shift at least 0.
std::int64_t divided(std::int64_t value, int shift);

/// value * 2^exponent, rounded to nearest even as if exponents were unbounded; then +0 below 2^-126, an infinity from
/// 2^128 on. |value| is below 2^61.
float to_binary32(std::int64_t value, int exponent);

/// sum + value * 2^exponent, rounded as above: exact until then, so that a value may be beyond binary32 where the sum
/// is not. |value| is below 2^24. A sum or a value * 2^exponent below 2^-126 in magnitude counts as +0. An infinite
/// sum stays as it is, every NaN becomes 0x7fc00000.
float add_scaled(float sum, std::int32_t value, int exponent);

}  // namespace systole::golden
