// SPDX-License-Identifier: Apache-2.0
#include "requantize_wide.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "bytes.hpp"
#include "integer_formulas.hpp"
#include "refused.hpp"

namespace systole::network {
namespace {

constexpr int kWord = 4;  // bytes of a sum
constexpr int kByteBits = 8;
constexpr int kHalfBits = 16;
constexpr int kFractionBits = 15;  // of a multiplier
constexpr std::int64_t kMost32 = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::int32_t short_multiplier(const QuantParam& scale) {
  constexpr std::int64_t kMost = (1 << kFractionBits) - 1;
  return static_cast<std::int32_t>(
      std::min((std::int64_t{scale.multiplier} + (1 << (kHalfBits - 1))) >> kHalfBits, kMost));
}

namespace {

/// Sums of 32 bits times a multiplier with the whole right shift in 31 bits, rounded once, are the exact results.
bool fits_word(const ScaledChannel& channel) {
  return channel.most_sum <= kMost32 && channel.scale.shift >= -kHalfBits;
}

/// TensorFlow Lite's results are of 32 bits, and wrap, before they are limited to 16; the kernels' are of `bits`.
void check(const ScaledChannel& channel, int bits) {
  const QuantParam& scale = channel.scale;
  require(is_valid(scale) && scale.shift < kFractionBits, "a scale of 2^14 or more of sums with 16-bit activations");
  require(channel.most_sum * short_multiplier(scale) >> (kFractionBits - scale.shift) < std::int64_t{1} << (bits - 1),
          "a scale with which results of 16-bit activations may exceed 32 bits");
}

/// A row of words for all positions.
ConstantOperand row_of(const std::vector<std::int32_t>& words) {
  return {bytes_of_words(words), {1, 1, 1, static_cast<int>(words.size()) * kWord, kWord}};
}

/// Of 32 bits, with a multiplier and a shift for each channel.
KernelLayer of_words(const std::vector<QuantParam>& scales, const golden::Clamp16& clamp) {
  KernelLayer layer{{"requantize16", {{"clamp", std::int64_t{clamp.max} * 65536 + (clamp.min & 0xFFFF)}}}};
  layer.call.by_block = true;
  std::vector<std::int32_t> multipliers, shifts;
  for (const QuantParam& scale : scales) {
    multipliers.push_back(scale.multiplier);
    shifts.push_back(scale.shift);
  }
  layer.constants = {{2, row_of(multipliers)}, {3, row_of(shifts)}};
  return layer;
}

KernelLayer of_two_words(const std::vector<ScaledChannel>& channels, const golden::Clamp16& clamp) {
  KernelLayer layer{{"requantize64"}};
  layer.call.by_block = true;
  layer.call.table.emplace();
  (*layer.call.table)[0] = static_cast<std::uint32_t>(std::int32_t{clamp.min});
  (*layer.call.table)[1] = static_cast<std::uint32_t>(std::int32_t{clamp.max});
  std::vector<std::int32_t> scales;
  for (const ScaledChannel& channel : channels) {
    check(channel, 31);  // the last bit is for rounding
    scales.push_back(short_multiplier(channel.scale) | (kFractionBits - 1 - channel.scale.shift) << kHalfBits);
  }
  layer.constants = {{2, row_of(scales)}};
  return layer;
}

}  // namespace

KernelLayer requantize_narrow(const std::vector<ScaledChannel>& channels, const golden::Clamp16& clamp) {
  std::vector<QuantParam> scales;
  for (const ScaledChannel& channel : channels) {
    require(is_valid(channel.scale), "a scale that no multiplier can represent");
    scales.push_back(channel.scale);
  }
  return of_words(scales, clamp);
}

KernelLayer requantize_wide(const std::vector<ScaledChannel>& channels, const golden::Clamp16& clamp) {
  if (!std::all_of(channels.begin(), channels.end(), fits_word)) {
    KernelLayer layer = of_two_words(channels, clamp);
    layer.call.values["d"] = layer.call.values["wide"] = 0;
    return layer;
  }
  std::vector<QuantParam> scales;
  for (const ScaledChannel& channel : channels) {
    check(channel, 32);
    const int left = std::max(0, channel.scale.shift);
    scales.push_back({short_multiplier(channel.scale) << (kHalfBits + channel.scale.shift - left), left});
  }
  return of_words(scales, clamp);
}

KernelLayer requantize_wide_of_three(const std::vector<ScaledChannel>& channels) {
  KernelLayer layer = of_two_words(channels, {});
  layer.call.values["wide"] = 1;
  return layer;
}

compiler::KernelCall byte_call(ByteOf16 byte) {
  const compiler::IntWord x = integer(0);
  const compiler::IntWord bits = byte == ByteOf16::kHigh ? (x + (1 << 15)) >> kByteBits : x;
  return compiler::element_call({byte == ByteOf16::kHigh ? "high_byte" : "low_byte",
                                 {kernel::Format::kI16},
                                 kernel::Format::kI8,
                                 ((bits & 0xFF) - 0x80).word});
}

}  // namespace systole::network
