// SPDX-License-Identifier: Apache-2.0
// The on-chip buffers of a product, and how the memories are divided among them.
#pragma once

#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "product.hpp"
#include "rings.hpp"

namespace systole::compiler {

constexpr int kBiasRows = 4;  ///< DIM words in rows of DIM bytes

/// The part of the reduction that one CONV computes: several blocks with all kernel rows, or some kernel rows of one
/// block. In block floating point: taps with all blocks, or some blocks of one tap.
struct Chunk {
  Range blocks;
  Range taps;
};

/// Scratchpad rows of `positions` results on their way to device memory. The planes of binary32 that leaves beside
/// blocks, of maxima, or of a second result, follow the others.
struct StagedRows {
  StagedRows(const Output& output, const OutputStage& stage, int positions);

  int plane;           ///< from one plane to the next
  int word_plane = 0;  ///< the same of binary32 beside blocks
  int also = 0;        ///< rows before the second result of a function
  int maxima = 0;      ///< rows before the maxima
  int maxima_plane = 0;
  int all;  ///< of a multiple of which the next results begin
};

/// Division of the on-chip memories for one product.
struct ProductLayout {
  RowRing activations, staging, residuals, bias;  ///< in the builder's workspace
  int numbers = 0;                                ///< first row of single elements, there
  int region_blocks = 0;                          ///< blocks of a tile that are in the scratchpad at the same time
  int weight_blocks = 0;                          ///< blocks of a column in one weight range; 0 when not even one fits
  int weight_taps = 0;                            ///< kernel rows in one weight range
  int taps_across = 0;                            ///< of a kernel row, in block floating point; else 0
  bool weights_resident = false;

  /// Throws DoesNotFit.
  ProductLayout(const Builder& builder, const Activations& activations, const Weights& weights, int blocks,
                const Output& output, const OutputStage& stage);

  /// The reduction of a column, divided into chunks that fit both memories.
  std::vector<Chunk> chunks(Range blocks, int kernel_h) const;

 private:
  void divide_reduction(const Configuration& configuration, const Activations& activations, const Weights& weights,
                        int blocks, const Output& output, int plane, int space);
  void divide_taps(const Configuration& configuration, const Weights& weights, int blocks, int share);
};

/// Activations of tiles in the scratchpad, loaded on demand.
class ActivationCache {
 public:
  ActivationCache(Builder& builder, const Activations& source, RowRing& ring, int blocks, int region_blocks)
      : builder_(builder), source_(source), ring_(ring), blocks_(blocks), region_blocks_(region_blocks) {}

  /// Loads the missing parts of `blocks` for lines [0, lines) of the tile. Returns the row of (absolute) block 0, which
  /// may be negative or beyond the memory if block 0 is not loaded. `blocks` lie within one region.
  int need(int tile, Range blocks, int lines);

 private:
  struct Region {
    Rows rows;
    std::vector<int> lines;  ///< per block, lines loaded so far
  };
  Builder& builder_;
  const Activations& source_;
  RowRing& ring_;
  const int blocks_, region_blocks_;
  std::map<std::pair<int, int>, Region> regions_;  ///< by tile and first block
};

/// Weight tiles in the ring, loaded on demand.
class WeightCache {
 public:
  WeightCache(Builder& builder, const Weights& source, RowRing& ring, HeldWeights& held)
      : builder_(builder), source_(source), ring_(ring), held_(held) {}

  /// Allocates adjacent ranges of the ring to `columns`, so that one LOAD can serve several, unless they have them
  /// already.
  void reserve(Range columns, const Chunk& whole);
  /// Loads the missing parts of `part` for `columns` (one, or some of those reserved together); `whole` is the chunk
  /// whose range in the ring they share.
  void need(Range columns, const Chunk& whole, Range part);
  /// Ring row of the first tile of `part`. Call need() first.
  int row(int column, const Chunk& whole, Range part) const;

 private:
  using Entry = HeldWeights::Entry;
  using Key = HeldWeights::Key;
  bool held(Range columns, const Chunk& whole) const;
  /// Counts the ring rows of the tiles that are stored.
  int rows_of(int column, Range blocks, Range taps) const {
    return source_.stored(column, blocks, taps) * source_.tap_rows(builder_.dim());
  }
  Builder& builder_;
  const Weights& source_;
  RowRing& ring_;
  HeldWeights& held_;
};

/// Parameter rows of columns, loaded on demand, several columns at a time.
class ParamCache {
 public:
  static constexpr int kRows = 9;
  ParamCache(Builder& builder, std::uint32_t address, int columns)
      : builder_(builder), ring_(builder.rings().params), address_(address), columns_(columns) {}
  /// Loads the column's parameters if necessary; returns their row.
  int need(int column);

 private:
  Builder& builder_;
  RowRing& ring_;
  std::uint32_t address_;
  int columns_;
  std::map<int, Rows> rows_;
};

}  // namespace systole::compiler
