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

/// `Mantissas` are MatrixRows or ImagePlanes, with planes in kBlockPlaneUnit.
template <class Mantissas>
class BlockActivations final : public Activations {
 public:
  BlockActivations(Mantissas mantissas, const BlockView& source) : mantissas_(std::move(mantissas)), source_(source) {}

  int tiles() const override { return mantissas_.tiles(); }
  TileShape shape(int tile) const override { return mantissas_.shape(tile); }
  TilePlace place(int tile) const override { return mantissas_.place(tile); }
  int plane_rows(int tile) const override { return mantissas_.plane_rows(tile); }
  void load(Builder& builder, int tile, Range blocks, Range lines, int row) const override {
    mantissas_.load(builder, tile, blocks, lines, row);
    const Stretch stretch = mantissas_.stretch(tile, lines);
    if (stretch.rows > 0) {
      load_exponents(builder, source_, stretch, blocks, row + stretch.row, plane_rows(tile));
    }
  }
  isa::Conv conv(int tile, Range lines, int row) const override {
    isa::Conv conv = mantissas_.conv(tile, lines, row);
    conv.block_float = 1;
    return conv;
  }

 private:
  Mantissas mantissas_;
  BlockView source_;
};

}  // namespace systole::compiler
