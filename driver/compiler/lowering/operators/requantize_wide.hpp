// SPDX-License-Identifier: Apache-2.0
// The kernels that make int16 of the sums of products of 16-bit activations, as TensorFlow Lite requantizes them. The
// matrix unit multiplies the bytes of such activations, so the sums come in parts.
#pragma once

#include <cstdint>
#include <vector>

#include "layer.hpp"
#include "systole/requantize.hpp"
#include "wide.hpp"

namespace systole::network {

/// The scale of a channel's sums, and the greatest size that they may have; at most 2^47.
struct ScaledChannel {
  QuantParam scale;
  std::int64_t most_sum = 0;
};

/// A multiplier of 31 bits rounded to 15, as TensorFlow Lite uses it for sums of 64 bits.
std::int32_t short_multiplier(const QuantParam& scale);

/// Of sums 256 a + b in 32 bits, which wrap.
KernelLayer requantize_narrow(const std::vector<ScaledChannel>& channels, const golden::Clamp16& clamp);

/// Of sums 256 a + b in 64 bits. Throws Refused.
KernelLayer requantize_wide(const std::vector<ScaledChannel>& channels, const golden::Clamp16& clamp);

/// Of sums 65536 c + 256 a + b in 64 bits; the constant operand comes before c. Throws Refused.
KernelLayer requantize_wide_of_three(const std::vector<ScaledChannel>& channels);

/// The bytes of int16 elements x as the kernel byte16 makes them: x = 256 high + (low + 128).
enum class ByteOf16 { kHigh, kLow };
inline constexpr int kLowZeroPoint = -128;
compiler::KernelCall byte_call(ByteOf16 byte);

}  // namespace systole::network
