// SPDX-License-Identifier: Apache-2.0
// The weight tiles of a CONV.
#pragma once

#include <cstdint>

#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"

namespace systole {

/// Elements of a block of block floating point.
inline constexpr int kBlockElements = 16;

struct ConvTiles {
  int channels;        ///< rows of weights of a tile
  int rows;            ///< rows of the weight ring of a tile: its weights and, in block floating point, their exponents
  int halves;          ///< tiles for each kernel tap and channel block
  int block_planes;    ///< channel blocks (scratchpad planes) of a block of block floating point; else 1
  std::int64_t count;  ///< tiles of the command

  std::int64_t ring_rows() const { return count * rows; }
};

constexpr ConvTiles tiles_of(const isa::Conv& op, const Configuration& configuration) {
  const int dim = configuration.dim, lanes = configuration.block_lanes();
  const std::int64_t taps = std::int64_t{op.blocks} * op.kernel_h * op.kernel_w;
  return op.block_float != 0 ? ConvTiles{lanes, lanes + 1, dim / lanes, kBlockElements / lanes, taps * (dim / lanes)}
                             : ConvTiles{dim, dim, 1, 1, taps};
}

}  // namespace systole
