// SPDX-License-Identifier: Apache-2.0
// Operands and results of a product (matmul or convolution). The schedule in product.cpp deals with positions, blocks
// of DIM input channels ("blocks") and blocks of DIM output channels ("columns"); these interfaces hide their layout in
// device memory.
#pragma once

#include <cstdint>
#include <optional>

#include "builder.hpp"

namespace systole::compiler {

/// Half-open range.
struct Range {
  int begin = 0;
  int end = 0;
  int size() const { return end - begin; }
};

inline bool operator==(const Range& a, const Range& b) { return a.begin == b.begin && a.end == b.end; }

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
constexpr int rounded_up(int value, int unit) { return ceil_div(value, unit) * unit; }

/// What the planes of a tensor in the scratchpad hold. It decides how many rows there are from one plane to the next.
enum class PlaneForm {
  kBytes,   ///< an element for each lane: as many rows as there are positions
  kWords,   ///< a byte of larger elements: an odd number, so that the scratchpad serves all bytes of a row together
  kBlocks,  ///< mantissas of block floating point: whole rows of exponents in every configuration
};

/// Rows of a plane of mantissas are in such units.
constexpr int kBlockPlaneUnit = 16;

constexpr PlaneForm plane_form(int element_bytes) { return element_bytes == 1 ? PlaneForm::kBytes : PlaneForm::kWords; }

/// Rows from one plane to the next.
constexpr int plane_rows(PlaneForm form, int positions) {
  switch (form) {
    case PlaneForm::kWords: return positions | 1;
    case PlaneForm::kBlocks: return rounded_up(positions, kBlockPlaneUnit);
    default: return positions;
  }
}

/// A tile of output positions: `lines` of `width` adjacent positions. Accumulator and staging rows hold them line by
/// line.
struct TileShape {
  int lines = 1;
  int width = 1;
  int positions() const { return lines * width; }
};

/// Location of a tile in the output: positions are numbered in the order (batch, row, column), `first` is the tile's
/// first and `line_step` the distance between its lines.
struct TilePlace {
  std::int64_t first = 0;
  std::int64_t line_step = 1;
};

/// Positions of the input: `rows` lines of `columns` adjacent ones, `pitch` positions apart, and the row of a region
/// where the first of them is.
struct Stretch {
  std::int64_t position = 0, pitch = 1;
  int columns = 1, rows = 1;
  int row = 0;
};

/// A tensor in the scratchpad: pixel (y, x) of channel block b is in row first + b * plane + y * width + x. Lanes
/// beyond the last channel are undefined.
struct ChipPlanes {
  int row = 0;    ///< of pixel (0, 0), block 0
  int plane = 0;  ///< rows from block to block
};

/// Activations: the left operand.
class Activations {
 public:
  virtual ~Activations() = default;
  virtual int tiles() const = 0;
  virtual TileShape shape(int tile) const = 0;
  virtual TilePlace place(int tile) const = 0;
  /// Scratchpad rows of a region that holds one block of the tile; n blocks take n times as many.
  virtual int plane_rows(int tile) const = 0;
  /// Row of block 0 if all blocks are already in the scratchpad; plane_rows() and load() are then unused.
  virtual std::optional<int> resident() const { return std::nullopt; }
  /// True if blocks can only be loaded all together.
  virtual bool packed() const { return false; }
  /// True if loading takes so long that those of the next tile are loaded column by column, while one is computed.
  virtual bool wants_prefetch() const { return false; }
  /// Loads what lines [lines.begin, lines.end) of `blocks` need beyond lines [0, lines.begin). `row` is the row of
  /// block blocks.begin of the tile.
  virtual void load(Builder& builder, int tile, Range blocks, Range lines, int row) const = 0;
  /// CONV over the lines, without weights, accumulators and block range; act_row as if block 0 of the region began at
  /// `row`.
  virtual isa::Conv conv(int tile, Range lines, int row) const = 0;
};

/// Constant weights OHWI. Several `parts`, stored one after another, are summed: weights of more than 8 bits.
struct ConvWeights {
  ConvWeights(const std::int8_t* first, int count = 1) : values(first), parts(count) {}
  /// Of bytes that are int8.
  ConvWeights(const std::vector<std::uint8_t>& bytes, int count = 1)
      // NOLINTNEXTLINE(*-reinterpret-cast): the signed and the unsigned type of an object may both access it
      : ConvWeights(reinterpret_cast<const std::int8_t*>(bytes.data()), count) {}
  const std::int8_t* values;
  int parts;
};

/// Weights: the right operand, in tiles of DIM x DIM, ordered block, kernel row, kernel column.
class Weights {
 public:
  virtual ~Weights() = default;
  /// Kernel rows; with several parts those of all parts, one part after another.
  virtual int kernel_h() const { return 1; }
  virtual int parts() const { return 1; }
  /// Whether all weights of these kernel rows of a block are 0. Only called if there are several parts.
  virtual bool is_zero(int, int, Range) const { return false; }
  virtual int kernel_w() const { return 1; }
  /// How many tiles of these blocks and kernel rows are stored. Tiles of zeros may be left out, which CONVs then skip.
  /// Several blocks only with all kernel rows, or with those of a chunk.
  virtual int stored(int, Range blocks, Range taps) const { return blocks.size() * taps.size() * kernel_w(); }
  /// Whether no tile of the column is stored before those of this block and kernel row.
  virtual bool begins(int column, int block, int tap_row) const {
    return block == blocks(column).begin && tap_row == 0;
  }
  /// Whether one tile is.
  virtual bool is_stored(int, int, int, int) const { return true; }
  /// Rows of the weight ring for one tap of a block.
  virtual int tap_rows(int dim) const { return dim; }
  /// In block floating point: taps of a kernel row. The kernel rows above are then single taps, and the reduction goes
  /// tap by tap, through all blocks. Else 0.
  virtual int taps_across() const { return 0; }
  bool block_float() const { return taps_across() != 0; }
  /// Blocks are multiplied in multiples of this many.
  virtual int block_planes() const { return 1; }
  /// Blocks that a column reads (not all for a grouped convolution).
  virtual Range blocks(int column) const = 0;
  /// Loads the tiles of `columns` x `blocks` x kernel rows `taps` into the ring: those of the first column at `row`,
  /// each next column `column_rows` further. Several blocks only with all kernel rows; several columns only if all
  /// their tiles are stored.
  virtual void load(Builder& builder, Range columns, Range blocks, Range taps, int row, int column_rows) const = 0;
};

/// Destination of the results.
struct Output {
  std::uint32_t address = 0;  ///< of position 0
  int columns = 0;            ///< output channels
  std::int64_t pitch = 0;     ///< bytes from one position to the next
  int element_bytes = 1;      ///< 1 requantized, 4 raw
  std::optional<ChipPlanes> chip =
      std::nullopt;               ///< if set, requantized results stay there; address and pitch are then unused
  std::int64_t column_pitch = 0;  ///< bytes from one block of DIM channels to the next; 0: they are contiguous
};

}  // namespace systole::compiler
