// SPDX-License-Identifier: Apache-2.0
// A tensor of block floating point in device memory, as programs keep it between two layers.
#pragma once

#include <cstdint>
#include <optional>

#include "sources.hpp"
#include "systole/conv_tiles.hpp"

namespace systole::compiler {

/// Scratchpad planes of binary32: its bytes.
constexpr int kWordPlanes = 4;

/// How the channels of a tensor are blocks on an array of DIM lanes.
struct BlockLanes {
  int group;   ///< channels that are loaded together: DIM, or those of a block
  int planes;  ///< scratchpad planes of a group
  int halves;  ///< exponents of a scratchpad row

  explicit constexpr BlockLanes(int dim)
      : group(dim > kBlockElements ? dim : kBlockElements), planes(group / dim), halves(group / kBlockElements) {}
};

/// Mantissas, position by position, `pitch` bytes each; channels beyond the last are zeros. Behind them the exponents,
/// those of a group of channels side by side, position by position, so that a few LOADs bring those of a tile.
struct BlockView {
  std::uint32_t address = 0;
  std::int64_t positions = 1;  ///< of the whole tensor
  int channels = 1;
  std::int64_t first = 0;  ///< position where a part of it begins
  /// If set, the mantissas are there, plane by plane, and their exponents at their rows'; `address` is then unused.
  std::optional<ChipPlanes> chip = std::nullopt;

  static constexpr int kPitchUnit = 2 * kBlockElements;  ///< room for both blocks of a row of 32 lanes

  /// Bytes from one position to the next.
  static constexpr int pitch_of(int channels) { return ceil_div(channels, kPitchUnit) * kPitchUnit; }
  int pitch() const { return pitch_of(channels); }
  /// Bytes of mantissas and exponents for each position.
  static constexpr int bytes_of(int channels) { return pitch_of(channels) / kBlockElements * (kBlockElements + 1); }

  int groups(const BlockLanes& lanes) const { return ceil_div(channels, lanes.group); }
  /// Of mantissas.
  std::uint32_t position(std::int64_t at) const { return address + static_cast<std::uint32_t>((first + at) * pitch()); }
  /// Of the exponents of a group.
  std::uint32_t exponents(const BlockLanes& lanes, int group, std::int64_t at) const {
    return address + static_cast<std::uint32_t>(positions * pitch() + (group * positions + first + at) * lanes.halves);
  }
};

/// Maxima of a product's results, binary32, whose positions are an image of lines of `width`; windows tile it.
struct BlockMaxima {
  std::uint32_t address = 0;  ///< where they go, dense
  int width = 1, kernel_h = 1, kernel_w = 1;
  int line() const { return width * kernel_h; }  ///< positions of a line of windows
};

/// Where the exponents of a scratchpad row are: row and lane.
struct ExponentPlace {
  int row, lane;
};
inline ExponentPlace exponent_place(const Configuration& configuration, int row, int halves) {
  const int byte = row * halves;
  return {configuration.scratch_rows + byte / configuration.dim, byte % configuration.dim};
}

}  // namespace systole::compiler
