// SPDX-License-Identifier: Apache-2.0
// Activations of binary32 that become block floating point on their way to the array: LOAD brings words to the
// scratchpad, the vector processor writes blocks to where the product reads them. The product asks for those of the
// next tile while it computes one. For arrays of at least 16 lanes, where a block is part of a row.
#pragma once

#include <optional>
#include <utility>

#include "activations.hpp"
#include "kernels.hpp"
#include "rings.hpp"

namespace systole::compiler {

/// Words of positions, piece by piece.
class WordsConversion {
 public:
  /// `words` is in device memory. Pieces pass through the first rows of the workspace, which is the smaller for it.
  /// Throws DoesNotFit.
  WordsConversion(Builder& builder, const TensorView& words);
  /// With windows of an image as positions.
  WordsConversion(Builder& builder, const ConvGeometry& windows);

  /// Tiles must begin at multiples of this many positions.
  int unit() const { return windows_ ? piece_ : 1; }
  /// Converts what lines [lines.begin, lines.end) of a region need beyond [0, lines.begin).
  void run(Builder& builder, const Stretch& stretch, const ChipPlanes& region) const;

 private:
  void take_room(Builder& builder);
  void piece(Builder& builder, std::int64_t position, int count, const ChipPlanes& to) const;

  std::optional<ConvGeometry> windows_;
  TensorView words_;
  int planes_, piece_ = 0;  ///< positions of a piece
  mutable RowRing ring_;    ///< load() of Activations is const
};

/// `Positions` are MatrixRows or ImagePlanes, with planes in kBlockPlaneUnit; their addresses are unused.
template <class Positions>
class ConvertedActivations final : public Activations {
 public:
  ConvertedActivations(Positions positions, const WordsConversion& conversion)
      : positions_(std::move(positions)), conversion_(conversion) {}

  int tiles() const override { return positions_.tiles(); }
  TileShape shape(int tile) const override { return positions_.shape(tile); }
  TilePlace place(int tile) const override { return positions_.place(tile); }
  int plane_rows(int tile) const override { return positions_.plane_rows(tile); }
  bool packed() const override { return true; }
  bool wants_prefetch() const override { return true; }
  void load(Builder& builder, int tile, Range, Range lines, int row) const override {
    const Stretch stretch = positions_.stretch(tile, lines);
    if (stretch.rows > 0) {
      conversion_.run(builder, stretch, {row, plane_rows(tile)});
    }
  }
  isa::Conv conv(int tile, Range lines, int row) const override {
    isa::Conv conv = positions_.conv(tile, lines, row);
    conv.block_float = 1;
    return conv;
  }

 private:
  Positions positions_;
  WordsConversion conversion_;
};

}  // namespace systole::compiler
