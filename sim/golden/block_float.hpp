// SPDX-License-Identifier: Apache-2.0
// Block floating point: 16 neighbours along a reduction share a power of two. The contract with its reasons is
// block_float.md.
#pragma once

#include <array>
#include <cstdint>

#include "tensor.hpp"

namespace systole::golden {

constexpr int kBlockSize = 16;
/// Every value of a block with this exponent is a NaN.
constexpr std::uint8_t kNanExponent = 255;

/// Value n is mantissas[n] * 2^(exponent - 133).
struct Block {
  std::array<std::int8_t, kBlockSize> mantissas{};
  std::uint8_t exponent = 0;
};

inline bool operator==(const Block& a, const Block& b) {
  return a.mantissas == b.mantissas && a.exponent == b.exponent;
}

/// What conversions to blocks lost, in elements.
struct ConversionCounts {
  std::uint64_t flushed = 0;     // not a zero, but its mantissa is
  std::uint64_t clamped = 0;     // rounded to 128, became 127
  std::uint64_t non_finite = 0;  // an infinity or a NaN; other elements of its block are not counted
};

/// The exponent is the greatest exponent field, mantissas are rounded to nearest even and at most 127 in magnitude;
/// subnormals are zeros. A block with an infinity or a NaN has kNanExponent and mantissas of 0. Adds to `counts`.
Block to_block(const std::array<float, kBlockSize>& values, ConversionCounts& counts);

/// The rows of a matrix, cut into blocks; the last one of a row is filled with zeros.
Matrix<Block> to_blocks(const Matrix<float>& values, ConversionCounts& counts);

/// Exact, but for values below 2^-126 in magnitude, which are +0, and -128 * 2^121, which is an infinity.
std::array<float, kBlockSize> to_floats(const Block& block);

constexpr int kMxInt8Size = 32;

/// A block of MXINT8 of OCP Microscaling, exactly.
std::array<Block, 2> from_mxint8(const std::array<std::int8_t, kMxInt8Size>& elements, std::uint8_t scale);

}  // namespace systole::golden
