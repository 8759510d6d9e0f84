// SPDX-License-Identifier: Apache-2.0
#include "block_tile.hpp"

#include <algorithm>

#include "scaled_integer.hpp"

namespace systole::golden {

BlockTile aligned(const BlockTile& tile) {
  std::uint8_t greatest = 0;
  for (const Block& block : tile) {
    greatest = std::max(greatest, block.exponent);
  }
  BlockTile result;
  for (std::size_t row = 0; row < tile.size(); ++row) {
    result[row].exponent = greatest;
    for (std::size_t n = 0; n < tile.size() && greatest != kNanExponent; ++n) {
      result[row].mantissas[n] =
          static_cast<std::int8_t>(divided(tile[row].mantissas[n], greatest - tile[row].exponent));
    }
  }
  return result;
}

BlockTile transposed(const BlockTile& tile) {
  const BlockTile from = aligned(tile);
  BlockTile result = from;
  for (std::size_t row = 0; row < tile.size(); ++row) {
    for (std::size_t n = 0; n < tile.size(); ++n) {
      result[n].mantissas[row] = from[row].mantissas[n];
    }
  }
  return result;
}

}  // namespace systole::golden
