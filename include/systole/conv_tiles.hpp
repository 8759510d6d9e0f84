// SPDX-License-Identifier: Apache-2.0
// The weight tiles of a CONV.
#pragma once

#include <algorithm>
#include <cstdint>

#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"

namespace systole {

/// Elements of a block of block floating point.
inline constexpr int kBlockElements = 16;

/// A CONV can skip tiles among its first ones, of which it has a bit each.
inline constexpr int kSkippedTiles = 128;

struct ConvTiles {
  int channels;        ///< rows of weights of a tile
  int rows;            ///< rows of the weight ring of a tile: its weights and, in block floating point, their exponents
  int halves;          ///< tiles for each kernel tap and channel block
  int block_planes;    ///< channel blocks (scratchpad planes) of a block of block floating point; else 1
  std::int64_t count;  ///< tiles of the command, with those that it skips
  std::int64_t present;  ///< tiles that it does not skip, which are in the weight ring

  /// Rows of the weight ring that the command reads.
  std::int64_t ring_rows() const { return present * rows; }
  /// Rows for which the ring must have room, though it holds no tile that is skipped.
  std::int64_t all_rows() const { return count * rows; }
};

/// Whether a CONV skips one of its `count` weight tiles. It never skips the last.
constexpr bool skips(const isa::Conv& op, std::int64_t tile, std::int64_t count) {
  const std::uint32_t words[] = {op.skip0, op.skip1, op.skip2, op.skip3};
  return tile < kSkippedTiles && tile != count - 1 && (words[tile / 32] >> tile % 32 & 1) != 0;
}

constexpr ConvTiles tiles_of(const isa::Conv& op, const Configuration& configuration) {
  const int dim = configuration.dim, lanes = configuration.block_lanes();
  const std::int64_t taps = std::int64_t{op.blocks} * op.kernel_h * op.kernel_w;
  if (op.block_float != 0) {
    const std::int64_t count = taps * (dim / lanes);
    return {lanes, lanes + 1, dim / lanes, kBlockElements / lanes, count, count};
  }
  std::int64_t present = taps;
  for (std::int64_t tile = 0;
       (op.skip0 | op.skip1 | op.skip2 | op.skip3) != 0 && tile < std::min<std::int64_t>(taps, kSkippedTiles); ++tile) {
    present -= skips(op, tile, taps) ? 1 : 0;
  }
  return {dim, dim, 1, 1, taps, present};
}

}  // namespace systole
