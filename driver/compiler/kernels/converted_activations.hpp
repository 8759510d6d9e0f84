// SPDX-License-Identifier: Apache-2.0
// Activations of binary32 that become block floating point on their way to the array: LOAD brings words to the
// scratchpad, the vector processor writes blocks to where the product reads them. The product asks for those of the
// next tile while it computes one. For arrays of at least 16 lanes, where a block is part of a row.
#pragma once

#include <optional>
#include <utility>

#include "block_activations.hpp"
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
  /// Blocks of DIM channels that a position becomes.
  int blocks() const { return planes_; }
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

/// The addresses of `Positions` are unused.
template <class Positions>
class ConvertedActivations final : public BlocksAt<Positions> {
 public:
  ConvertedActivations(Positions positions, const WordsConversion& conversion)
      : BlocksAt<Positions>(std::move(positions)), conversion_(conversion) {}

  bool packed() const override { return true; }
  bool wants_prefetch() const override { return true; }
  void load(Builder& builder, int tile, Range blocks, Range lines, int row) const override {
    check_all_blocks(blocks, conversion_.blocks());
    const Stretch stretch = this->positions().stretch(tile, lines);
    if (stretch.rows > 0) {
      conversion_.run(builder, stretch, {row, this->plane_rows(tile)});
    }
  }

 private:
  WordsConversion conversion_;
};

}  // namespace systole::compiler
