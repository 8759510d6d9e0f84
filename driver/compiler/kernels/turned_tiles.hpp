// SPDX-License-Identifier: Apache-2.0
// A left operand that lies transposed: a kernel has made weight tiles of it, as if it were a right one, and LOADs turn
// the bytes of a tile into the rows of 16 positions. For arrays of 16 lanes, where a tile is a block of 16 outputs.
#pragma once

#include "block_activations.hpp"
#include "kernels.hpp"

namespace systole::compiler {

/// Whether the core has what it takes.
bool turns_tiles(const Configuration& configuration);

/// The outputs of the tiles are positions. Tiles of the product are multiples of kBlockElements positions.
class TurnedTiles final : public BlocksAt<MatrixRows> {
 public:
  TurnedTiles(const BlockTiles& tiles, int tile_rows);

  void load(Builder& builder, int tile, Range blocks, Range lines, int row) const override;

 private:
  BlockTiles tiles_;
  int tile_rows_, blocks_;
};

}  // namespace systole::compiler
