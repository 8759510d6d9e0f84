// SPDX-License-Identifier: Apache-2.0
// Copies boxes of bytes within device memory through the scratchpad: a LOAD and a STORE visit the same positions, each
// with its own strides.
#include <fmt/core.h>

#include <algorithm>

#include "fields.hpp"
#include "kernels.hpp"
#include "product.hpp"
#include "rings.hpp"

namespace systole::compiler {
namespace {

constexpr int kMostPositions = 1024;  // per instruction: STORE begins when LOAD has written the last of them
constexpr int kMostBlocks = 16;       // blocks of DIM bytes per position

std::int32_t i32(std::int64_t value) { return static_cast<std::int32_t>(value); }

/// `count` of the box's lines from `first` on.
ByteBox lines_of(ByteBox box, std::int64_t first, std::int64_t count) {
  box.from += first * box.from_outer;
  box.to += first * box.to_outer;
  box.outer = count;
  return box;
}

/// For a box of one line: `count` positions starting at `first`.
ByteBox positions_of(ByteBox box, std::int64_t first, std::int64_t count) {
  box.from += first * box.from_inner;
  box.to += first * box.to_inner;
  box.inner = count;
  return box;
}

/// For a box of one position: `count` stretches of `bytes` starting at byte `first`, as positions.
ByteBox stretches_of(ByteBox box, std::int64_t first, std::int64_t count, std::int64_t bytes) {
  box.from += first;
  box.to += first;
  box.inner = count;
  box.bytes = box.from_inner = box.to_inner = bytes;
  return box;
}

class Mover {
 public:
  explicit Mover(Builder& builder)
      : builder_(builder),
        ring_(builder.workspace_begin(), std::max(1, builder.workspace_rows()), false),
        room_(std::min(builder.workspace_rows() / 2, kMostPositions)) {
    if (room_ < 1) {
      throw DoesNotFit(fmt::format("a move needs 2 rows of the scratchpad, {} are free", builder.workspace_rows()));
    }
  }

  /// Divides the box into instructions.
  void move(const ByteBox& box) {
    const std::int64_t most_bytes = std::int64_t{builder_.dim()} * std::min(kMostBlocks, room_);
    const std::int64_t positions = std::max<std::int64_t>(1, room_ / blocks_of(std::min(box.bytes, most_bytes)));
    if (box.inner > positions || box.bytes > most_bytes) {
      for (std::int64_t line = 0; line < box.outer; ++line) {
        for (std::int64_t first = 0; first < box.inner; first += positions) {
          stretches(positions_of(lines_of(box, line, 1), first, std::min(positions, box.inner - first)), most_bytes);
        }
      }
      return;
    }
    const std::int64_t lines = positions / box.inner;
    for (std::int64_t line = 0; line < box.outer; line += lines) {
      append(lines_of(box, line, std::min(lines, box.outer - line)));
    }
  }

 private:
  int blocks_of(std::int64_t bytes) const { return ceil_div(static_cast<int>(bytes), builder_.dim()); }

  void stretches(const ByteBox& box, std::int64_t most_bytes) {
    if (box.bytes <= most_bytes) {
      append(box);
      return;
    }
    for (std::int64_t position = 0; position < box.inner; ++position) {
      const ByteBox one = positions_of(box, position, 1);
      const std::int64_t whole = box.bytes / most_bytes * most_bytes;
      move(stretches_of(one, 0, box.bytes / most_bytes, most_bytes));
      if (whole < box.bytes) {
        append(stretches_of(one, whole, 1, box.bytes - whole));
      }
    }
  }

  void append(const ByteBox& box) {
    const int positions = static_cast<int>(box.outer * box.inner);
    const Rows rows = ring_.take(positions * blocks_of(box.bytes));
    load(box, rows.row, positions);
    isa::Store store;
    store.dst = static_cast<std::uint32_t>(box.to);
    store.pieces = 1;
    store.piece_bytes = u16(box.bytes);
    store.count0 = u16(box.inner);
    store.count1 = u16(box.outer);
    store.dst_stride0 = i32(box.to_inner);
    store.dst_stride1 = i32(box.to_outer);
    store.src = u16(rows.row);
    store.src_block = u16(positions);
    store.src_stride0 = 1;
    store.src_stride1 = u16(box.inner);
    if (box.to_inner == box.bytes) {  // contiguous in memory: runs of a whole line
      store.pieces = u16(box.inner);
      store.src_piece = 1;
      store.count0 = u16(box.outer);
      store.count1 = 1;
      store.dst_stride0 = i32(box.to_outer);
      store.src_stride0 = u16(box.inner);
    }
    builder_.append(store);
  }

  void load(const ByteBox& box, int row, int positions) {
    isa::Load load;
    load.piece_bytes = u16(box.bytes);
    load.slot_bytes = u16(blocks_of(box.bytes) * builder_.dim());
    load.dst = u16(row);
    load.dst_block = u16(positions);
    load.src = static_cast<std::uint32_t>(box.from);
    load.fill = box.fill.value_or(0);
    if (box.fill || box.from_inner < box.bytes || box.from_inner - box.bytes >= builder_.dim()) {
      load.run_bytes = static_cast<std::uint32_t>(box.bytes);
      load.piece_step = load.piece_bytes;
      load.count0 = u16(box.inner);
      load.count1 = u16(box.outer);
      load.valid_to = box.fill ? 0 : load.count0;  // no valid run: everything is fill
      load.src_stride0 = i32(box.from_inner);
      load.src_stride1 = i32(box.from_outer);
      load.dst_stride0 = 1;
      load.dst_stride1 = u16(box.inner);
    } else {  // the gaps between the positions are read too, which takes fewer bursts
      load.run_bytes = static_cast<std::uint32_t>((box.inner - 1) * box.from_inner + box.bytes);
      load.pieces = u16(box.inner);
      load.piece_step = u16(box.from_inner);
      load.dst_piece = 1;
      load.count0 = u16(box.outer);
      load.valid_to = load.count0;
      load.src_stride0 = i32(box.from_outer);
      load.dst_stride0 = u16(box.inner);
    }
    builder_.append(load);
  }

  Builder& builder_;
  RowRing ring_;
  int room_;  ///< rows for one LOAD: the next one writes others while these are stored
};

}  // namespace

void move(Builder& builder, const std::vector<ByteBox>& boxes) {
  builder.begin_operator(fmt::format("move {} boxes", boxes.size()), 0);
  Mover mover(builder);
  for (const ByteBox& box : boxes) {
    mover.move(box);
  }
}

}  // namespace systole::compiler
