// SPDX-License-Identifier: Apache-2.0
// Transposes words in device memory. LOADs turn them, DIM/4 rows and columns at a time, so that the words of a position
// of the result lie side by side in planes of the scratchpad, which STOREs bring to their places.
#include <fmt/core.h>

#include <algorithm>

#include "fields.hpp"
#include "kernels.hpp"
#include "product.hpp"
#include "rings.hpp"
#include "turned_load.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2;
constexpr int kMostPositions = 512;  // at a time: the STORE begins when the LOADs have written the last of them
constexpr int kFewPositions = 64;    // for which all words of a position should fit
constexpr int kMostBytes = 1 << 17;  // of a STORE: 2^20 where its three factors are rounded up to powers of two

class Transposer {
 public:
  Transposer(Builder& builder, const WordTransposition& words)
      : builder_(builder),
        words_(words),
        dim_(builder.dim()),
        group_(dim_ / kTurnedWord),
        ring_(builder.workspace_begin(), std::max(1, builder.workspace_rows()), false) {
    const int room = std::min(builder.workspace_rows() / kBuffers, kMostBytes / dim_);
    const int positions = words.lines * words.columns;
    planes_ = std::min(ceil_div(words.rows, group_), room / rounded_up(std::min(positions, kFewPositions), group_));
    if (planes_ < 1) {
      throw DoesNotFit(fmt::format("a transposition of words needs {} rows of the scratchpad, {} are free",
                                   kBuffers * group_, builder.workspace_rows()));
    }
    positions_ = std::min(room / planes_, kMostPositions) / group_ * group_;
  }

  /// Of a matrix at these addresses.
  void transpose(std::uint32_t from, std::uint32_t to) {
    const int lines = std::max(1, positions_ / words_.columns);
    for (int row = 0; row < words_.rows; row += planes_ * group_) {
      const Range rows{row, std::min(words_.rows, row + planes_ * group_)};
      for (int line = 0; line < words_.lines; line += lines) {
        const Range together{line, std::min(words_.lines, line + lines)};
        for (int column = 0; column < words_.columns; column += positions_) {
          const Range columns{column, std::min(words_.columns, column + positions_)};
          move(rows, together, columns,
               from + static_cast<std::uint32_t>(rows.begin * words_.from_row +
                                                 (std::int64_t{line} * words_.columns + column) * kTurnedWord),
               to + static_cast<std::uint32_t>(line * words_.to_line + column * words_.to_column +
                                               std::int64_t{rows.begin} * kTurnedWord));
        }
      }
    }
  }

 private:
  void move(Range rows, Range lines, Range columns, std::uint32_t from, std::uint32_t to) {
    const int positions = lines.size() * columns.size(), plane = rounded_up(positions, group_);
    const int planes = ceil_div(rows.size(), group_), whole = rows.size() / group_;
    const int row = ring_.take(planes * plane).row;
    const int quads = positions / group_, rest = positions % group_;
    load({0, whole}, {0, quads}, group_, group_, from, {row, plane});
    load({whole, planes}, {0, quads}, rows.size() % group_, group_, from, {row, plane});
    if (rest > 0) {
      load({0, whole}, {quads, quads + 1}, group_, rest, from, {row, plane});
      load({whole, planes}, {quads, quads + 1}, rows.size() % group_, rest, from, {row, plane});
    }
    isa::Store store;
    store.dst = to;
    store.piece_bytes = u16(rows.size() * kTurnedWord);
    store.count0 = u16(columns.size());
    store.count1 = u16(lines.size());
    store.dst_stride0 = static_cast<std::int32_t>(words_.to_column);
    store.dst_stride1 = static_cast<std::int32_t>(words_.to_line);
    store.src = u16(row);
    store.src_block = u16(plane);
    store.src_stride0 = 1;
    store.src_stride1 = u16(columns.size());
    builder_.append(store);
  }

  /// Groups of rows, which become planes, and of positions, of which there are some in each; as few LOADs as can be.
  void load(Range planes, Range quads, int rows, int positions, std::uint32_t from, const ChipPlanes& to) const {
    const bool by_plane = planes.size() < quads.size();
    const int outer = by_plane ? planes.size() : quads.size(), inner = by_plane ? quads.size() : planes.size();
    for (int i = 0; i < (inner > 0 ? outer : 0); ++i) {
      const int plane = planes.begin + (by_plane ? i : 0), quad = quads.begin + (by_plane ? 0 : i);
      isa::Load load = turned_words(dim_, rows);
      load.src =
          from + static_cast<std::uint32_t>(std::int64_t{plane} * group_ * words_.from_row + std::int64_t{quad} * dim_);
      load.run_bytes = static_cast<std::uint32_t>(positions * kTurnedWord);
      load.piece_step = load.piece_bytes = u16(positions * kTurnedWord);
      load.count1 = u16(inner);
      load.src_stride0 = static_cast<std::int32_t>(words_.from_row);
      load.src_stride1 = static_cast<std::int32_t>(by_plane ? dim_ : group_ * words_.from_row);
      load.dst = u16(to.row + plane * to.plane + quad * group_);
      load.dst_stride1 = u16(by_plane ? group_ : to.plane);
      builder_.append(load);
    }
  }

  Builder& builder_;
  const WordTransposition& words_;
  const int dim_, group_;
  RowRing ring_;
  int planes_ = 1, positions_ = 1;  ///< groups of words of a position, and positions, at a time
};

}  // namespace

void transpose_words(Builder& builder, const WordTransposition& words, std::uint32_t from, std::uint32_t to) {
  builder.begin_operator(fmt::format("transpose {} by {} words", words.rows, words.lines * words.columns), 0);
  Transposer transposer(builder, words);
  for (const WordTransposition::Place& place : words.matrices) {
    transposer.transpose(from + static_cast<std::uint32_t>(place.from), to + static_cast<std::uint32_t>(place.to));
  }
}

}  // namespace systole::compiler
