// SPDX-License-Identifier: Apache-2.0
// Where a product (matmul or convolution) gets its operands and puts its results. The schedule in product.cpp knows
// positions, blocks of DIM input channels ("blocks") and blocks of DIM output channels ("columns"); these interfaces
// know how they lie in device memory.
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

inline constexpr int kScratchBanks =
    8;  ///< of equal size, one behind the other; each reads one row and writes one per cycle

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

/// A tile of output positions: `lines` of `width` neighbours. Accumulator and staging rows hold them line after line.
struct TileShape {
  int lines = 1;
  int width = 1;
  int positions() const { return lines * width; }
};

/// Position of a tile in the output: positions are numbered (batch, row, column), `first` is the tile's first and
/// `line_step` leads from one of its lines to the next.
struct TilePlace {
  std::int64_t first = 0;
  std::int64_t line_step = 1;
};

/// A tensor in the scratchpad: pixel (y, x) of channel block b is row first + b * plane + y * width + x. Lanes beyond
/// the last channel hold anything.
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
  /// Row of block 0 when all blocks are in the scratchpad already; plane_rows() and load() do not matter then.
  virtual std::optional<int> resident() const { return std::nullopt; }
  /// True when blocks can only be loaded all together.
  virtual bool packed() const { return false; }
  /// Loads what lines [lines.begin, lines.end) need of `blocks` and lines [0, lines.begin) did not. `row` is where
  /// block blocks.begin of the tile lies.
  virtual void load(Builder& builder, int tile, Range blocks, Range lines, int row) const = 0;
  /// CONV over the lines, without weights, accumulators and block range; act_row as if block 0 of the region began at
  /// `row`.
  virtual isa::Conv conv(int tile, Range lines, int row) const = 0;
};

/// Constant weights OHWI. Several `parts` lie one behind the other and are added: weights of more than 8 bits.
struct ConvWeights {
  ConvWeights(const std::int8_t* first, int count = 1) : values(first), parts(count) {}
  const std::int8_t* values;
  int parts;
};

/// Weights: the right operand, in tiles of DIM x DIM, ordered block, kernel row, kernel column.
class Weights {
 public:
  virtual ~Weights() = default;
  /// Kernel rows; with several parts those of all, one part behind the other.
  virtual int kernel_h() const { return 1; }
  virtual int parts() const { return 1; }
  /// Whether all weights of these kernel rows of a block are 0. Only asked where there are several parts.
  virtual bool is_zero(int, int, Range) const { return false; }
  virtual int kernel_w() const { return 1; }
  /// Blocks that a column needs (a grouped convolution does not need all).
  virtual Range blocks(int column) const = 0;
  /// Loads the tiles of `columns` x `blocks` x kernel rows `taps` into the ring: those of the first column at `row`,
  /// each next column `column_rows` further. Several blocks only with all kernel rows.
  virtual void load(Builder& builder, Range columns, Range blocks, Range taps, int row, int column_rows) const = 0;
};

/// Results.
struct Output {
  std::uint32_t address = 0;  ///< of position 0
  int columns = 0;            ///< output channels
  std::int64_t pitch = 0;     ///< bytes from one position to the next
  int element_bytes = 1;      ///< 1 requantized, 4 raw
  std::optional<ChipPlanes> chip =
      std::nullopt;  ///< requantized results stay there; address and pitch do not matter then
};

}  // namespace systole::compiler
