// SPDX-License-Identifier: Apache-2.0
#include "turned_tiles.hpp"

#include "fields.hpp"
#include "turned_load.hpp"

namespace systole::compiler {
namespace {

constexpr int kGroup = kBlockElements;               // positions of a tile
constexpr int kTileBytes = (kGroup + 1) * kGroup;    // the last row is exponents
constexpr int kExponents = kBlockElements * kGroup;  // the byte where they begin

}  // namespace

bool turns_tiles(const Configuration& configuration) {
  return configuration.dim == kBlockElements && configuration.has(Part::kTurningLoads);
}

TurnedTiles::TurnedTiles(const BlockTiles& tiles, int tile_rows)
    : BlocksAt(MatrixRows(0, tiles.outputs, tiles.depth, tiles.depth, tile_rows, kGroup, PlaneForm::kBlocks)),
      tiles_(tiles),
      tile_rows_(tile_rows),
      blocks_(ceil_div(tiles.depth, kBlockElements)) {}

/// Whole groups of positions: those that begin before the first line are there.
void TurnedTiles::load(Builder& builder, int tile, Range blocks, Range lines, int row) const {
  const Range groups{ceil_div(lines.begin, kGroup), ceil_div(lines.end, kGroup)};
  if (groups.size() <= 0) {
    return;
  }
  const int group_bytes = blocks_ * kTileBytes, plane = plane_rows(tile);
  const std::uint32_t first =
      tiles_.address + static_cast<std::uint32_t>((tile * tile_rows_ / kGroup + groups.begin) * group_bytes);
  for (int block = blocks.begin; block < blocks.end; ++block) {
    const std::uint32_t source = first + static_cast<std::uint32_t>(block * kTileBytes);
    const int to = row + (block - blocks.begin) * plane + groups.begin * kGroup;
    isa::Load mantissas = turned_bytes(kGroup, kGroup);
    mantissas.src = source;
    mantissas.count1 = u16(groups.size());
    mantissas.src_stride0 = kGroup;
    mantissas.src_stride1 = group_bytes;
    mantissas.dst = u16(to);
    mantissas.dst_stride1 = kGroup;
    builder.append(mantissas);
    const ExponentPlace place = exponent_place(builder.configuration(), to, 1);
    isa::Load exponents;
    exponents.src = source + kExponents;
    exponents.run_bytes = exponents.piece_step = exponents.piece_bytes = exponents.slot_bytes = kGroup;
    exponents.count0 = exponents.valid_to = u16(groups.size());
    exponents.src_stride0 = group_bytes;
    exponents.lane = static_cast<std::uint8_t>(place.lane);
    exponents.dst = u16(place.row);
    exponents.dst_block = 1;
    exponents.dst_stride0 = 1;
    builder.append(exponents);
  }
}

}  // namespace systole::compiler
