// SPDX-License-Identifier: Apache-2.0
// Activations in block floating point: the mantissas as other activations, and the exponents of their rows.
#pragma once

#include <utility>

#include "activations.hpp"
#include "block_view.hpp"

namespace systole::compiler {

/// Loads the exponents of `rows` lines of `columns` positions each, the first at `stretch.position`, `pitch` apart, for
/// the rows from `row` on; planes are `plane` rows apart. `blocks` are counted in DIM channels.
void load_exponents(Builder& builder, const BlockView& source, const Stretch& stretch, Range blocks, int row,
                    int plane);

/// Blocks at `Positions`, which are MatrixRows or ImagePlanes, with planes in kBlockPlaneUnit.
template <class Positions>
class BlocksAt : public Activations {
 public:
  explicit BlocksAt(Positions positions) : positions_(std::move(positions)) {}

  int tiles() const override { return positions_.tiles(); }
  TileShape shape(int tile) const override { return positions_.shape(tile); }
  TilePlace place(int tile) const override { return positions_.place(tile); }
  int plane_rows(int tile) const override { return positions_.plane_rows(tile); }
  isa::Conv conv(int tile, Range lines, int row) const override {
    isa::Conv conv = positions_.conv(tile, lines, row);
    conv.block_float = 1;
    return conv;
  }

 protected:
  const Positions& positions() const { return positions_; }

 private:
  Positions positions_;
};

/// `Mantissas` are the positions, and where the mantissas are.
template <class Mantissas>
class BlockActivations final : public BlocksAt<Mantissas> {
 public:
  BlockActivations(Mantissas mantissas, const BlockView& source)
      : BlocksAt<Mantissas>(std::move(mantissas)), source_(source) {}

  void load(Builder& builder, int tile, Range blocks, Range lines, int row) const override {
    this->positions().load(builder, tile, blocks, lines, row);
    const Stretch stretch = this->positions().stretch(tile, lines);
    if (stretch.rows > 0) {
      load_exponents(builder, source_, stretch, blocks, row + stretch.row, this->plane_rows(tile));
    }
  }

 private:
  BlockView source_;
};

}  // namespace systole::compiler
