// SPDX-License-Identifier: Apache-2.0
#include "block_float.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "scaled_integer.hpp"

namespace systole::golden {
namespace {

constexpr std::uint32_t kFraction = 0x007fffff, kHidden = 0x00800000;
constexpr int kFractionBits = 23, kMantissaBits = 6;  // below the leading one
constexpr int kMostMantissa = 127;
constexpr int kMantissaBias = 127 + kMantissaBits;

std::uint8_t exponent_field(float value) {
  return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(value) >> kFractionBits);  // drops the sign
}

/// value / 2^(exponent - 133) as an integer, not yet clamped; `exponent` is not below that of `value`.
int mantissa(float value, int exponent) {
  const int field = exponent_field(value);
  if (field == 0) {
    return 0;
  }
  const auto significand = static_cast<int>(kHidden | (std::bit_cast<std::uint32_t>(value) & kFraction));
  return static_cast<int>(
      divided(std::signbit(value) ? -significand : significand, exponent - field + kFractionBits - kMantissaBits));
}

}  // namespace

Block to_block(const std::array<float, kBlockSize>& values, ConversionCounts& counts) {
  Block block;
  for (const float value : values) {
    block.exponent = std::max(block.exponent, exponent_field(value));
  }
  for (int n = 0; n < kBlockSize; ++n) {
    const float value = values[std::size_t(n)];
    if (block.exponent == kNanExponent) {
      counts.non_finite += static_cast<std::uint64_t>(!std::isfinite(value));
      continue;
    }
    const int rounded = mantissa(value, block.exponent);
    const int clamped = std::clamp(rounded, -kMostMantissa, kMostMantissa);
    counts.flushed += static_cast<std::uint64_t>(rounded == 0 && value != 0);
    counts.clamped += static_cast<std::uint64_t>(clamped != rounded);
    block.mantissas[std::size_t(n)] = static_cast<std::int8_t>(clamped);
  }
  return block;
}

Matrix<Block> to_blocks(const Matrix<float>& values, ConversionCounts& counts) {
  Matrix<Block> blocks(values.rows, (values.columns + kBlockSize - 1) / kBlockSize);
  for (int row = 0; row < blocks.rows; ++row) {
    for (int column = 0; column < blocks.columns; ++column) {
      std::array<float, kBlockSize> part{};
      const int first = column * kBlockSize, size = std::min(kBlockSize, values.columns - first);
      std::copy_n(&values.at(row, first), size, part.begin());
      blocks.at(row, column) = to_block(part, counts);
    }
  }
  return blocks;
}

std::array<float, kBlockSize> to_floats(const Block& block) {
  std::array<float, kBlockSize> values{};
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = block.exponent == kNanExponent ? std::numeric_limits<float>::quiet_NaN()
                                               : to_binary32(block.mantissas[n], block.exponent - kMantissaBias);
  }
  return values;
}

std::array<Block, 2> from_mxint8(const std::array<std::int8_t, kMxInt8Size>& elements, std::uint8_t scale) {
  std::array<Block, 2> halves;
  for (std::size_t half = 0; half < halves.size(); ++half) {
    std::copy_n(elements.begin() + static_cast<std::ptrdiff_t>(half) * kBlockSize, kBlockSize,
                halves[half].mantissas.begin());
    halves[half].exponent = scale;
  }
  return halves;
}

}  // namespace systole::golden
