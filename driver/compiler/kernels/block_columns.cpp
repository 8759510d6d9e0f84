// SPDX-License-Identifier: Apache-2.0
// Right operands of block floating point that lie as they are multiplied, the reduction along rows: a kernel makes
// blocks of their columns, which are weight tiles already. Nothing has to be transposed.
#include "block_view.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fields.hpp"
#include "kernel_arguments.hpp"
#include "kernels.hpp"
#include "library.hpp"
#include "product.hpp"
#include "rings.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2;
constexpr int kMostUnits = 64;  // of a VECTOR
constexpr int kLeastParts = 4;  // of a matrix: some are loaded or stored while others are converted

/// A unit is a block of one tap and DIM columns. A kernel takes several: taps of one block, or, of a matrix, blocks, or
/// columns if there are few blocks.
class Columns {
 public:
  Columns(Builder& builder, const FloatColumns& from, std::uint32_t address)
      : builder_(builder),
        from_(from),
        address_(address),
        kernel_(library_kernel("float_to_tiles", {})),
        dim_(builder.dim()),
        channels_(std::min(dim_, kBlockElements)),
        unit_rows_(kBlockElements / channels_ * (channels_ + 1)),
        columns_(ceil_div(from.outputs, dim_)),
        by_tap_(from.taps() > 1) {
    const BlockLanes lanes(dim_);
    blocks_ = ceil_div(from.depth, lanes.group) * lanes.halves;
    choose_tiling();
    if (units_ == 0) {
      throw DoesNotFit(fmt::format("{} columns of {} rows do not fit {} scratchpad rows", dim_, kBlockElements,
                                   builder.workspace_rows()));
    }
    const int begin = builder.workspace_begin(), room = kBuffers * words(together_);
    words_ = RowRing(begin, room, false);
    staging_ = RowRing(begin + room, kBuffers * (by_column_ ? together_ : units_) * unit_rows_, false);
  }

  void write() {
    entry_ = builder_.place_kernel(kernel_);
    for (int column = 0; column < columns_; column += together_) {
      const Range columns{column, std::min(columns_, column + together_)};
      for (int block = 0; block < blocks_; block += by_tap_ ? 1 : units_) {
        const Range blocks{block, by_tap_ ? block + 1 : std::min(blocks_, block + units_)};
        for (int tap = 0; tap < from_.taps(); tap += by_tap_ ? units_ : 1) {
          write(columns, blocks, {tap, by_tap_ ? std::min(from_.taps(), tap + units_) : tap + 1});
        }
      }
    }
  }

 private:
  static constexpr int kEnough = 2;  // columns side by side, for long bursts

  void choose_tiling() {
    by_column_ = !by_tap_ && blocks_ < std::min(kernel::kStripRows, columns_);
    units_ = std::min({by_tap_ ? from_.taps() : blocks_, kMostUnits});
    if (by_column_) {
      const int each = kBuffers * (words(1) + unit_rows_);
      together_ = std::min({columns_, kMostUnits, builder_.workspace_rows() / each, share_of(columns_)});
      by_column_ = together_ > 0;
    }
    if (by_column_) {
      return;
    }
    // A LOAD of several taps reads all of their columns.
    const int most = units_, enough = by_tap_ ? columns_ : std::min(columns_, kEnough);
    if (!choose_units(most, enough)) {
      choose_units(most, std::min(columns_, kEnough));
    }
    const int parts = units_ == 0 ? 0 : ceil_div(blocks_, units_) * ceil_div(columns_, together_);
    if (!by_tap_ && parts < kLeastParts) {
      choose_units(std::min(units_, share_of(blocks_)), enough);
    }
  }

  static int whole_strips_below(int units) { return (units - 1) / kernel::kStripRows * kernel::kStripRows; }
  /// Whole strips.
  static int share_of(int all) { return rounded_up(ceil_div(all, kLeastParts), kernel::kStripRows); }

  /// As many units as there is room for beside `enough` columns, or some with fewer columns. Whether it is enough.
  bool choose_units(int most, int enough) {
    for (units_ = most; units_ > 0; units_ = units_ > kernel::kStripRows ? whole_strips_below(units_) : units_ - 1) {
      const int staged = kBuffers * units_ * unit_rows_;
      together_ = std::min(columns_, (builder_.workspace_rows() - staged) / (kBuffers * words(1)));
      if (together_ >= enough || (together_ > 0 && units_ <= kernel::kStripRows)) {
        break;
      }
    }
    return together_ >= enough;
  }

  int column_bytes() const { return from_.taps() * blocks_ * unit_rows_ * dim_; }
  int words(int columns) const { return columns * kWordPlanes * plane_of(units_); }
  static int plane_of(int units) { return plane_rows(PlaneForm::kWords, kBlockElements * units); }

  void write(Range columns, Range blocks, Range taps) {
    const int units = blocks.size() * taps.size(), plane = plane_of(units);
    const int row = words_.take(columns.size() * kWordPlanes * plane).row;
    load(columns, blocks, taps, row);
    KernelArguments arguments(kernel_, {kernel_.name});
    arguments.set("a_plane", plane);
    arguments.set("a_row", by_tap_ ? 1 : by_column_ ? kWordPlanes * plane : kBlockElements);
    arguments.set("a_next", by_tap_ ? units : 1);
    arguments.set("to_row", unit_rows_);
    arguments.set("parts", kBlockElements / channels_);
    arguments.set("each", channels_);
    const auto run = [&](int a, int count) {
      const int to = staging_.take(count * unit_rows_).row;
      arguments.set("a", a);
      arguments.set("to", to);
      arguments.set_rows(count);
      builder_.append(arguments.instruction(entry_));
      return to;
    };
    if (by_column_) {
      for (int block = blocks.begin; block < blocks.end; ++block) {
        const int to = run(row + (block - blocks.begin) * kBlockElements, columns.size());
        store(columns, {block, block + 1}, taps, to);
      }
      return;
    }
    for (int column = columns.begin; column < columns.end; ++column) {
      const int to = run(row + (column - columns.begin) * kWordPlanes * plane, units);
      store({column, column + 1}, blocks, taps, to);
    }
  }

  /// Row k of unit u is `units` * k + u, or 16 u + k of a matrix.
  void load(Range columns, Range blocks, Range taps, int row) {
    const int units = blocks.size() * taps.size(), depth = kBlockElements * blocks.size();
    const int first = columns.begin * dim_;
    isa::Load load;
    load.src =
        from_.address + static_cast<std::uint32_t>(
                            std::int64_t{std::min(blocks.begin * kBlockElements, from_.depth - 1)} * from_.pitch +
                            taps.begin * from_.tap_pitch + first * kWordPlanes);
    load.piece_bytes = u16((std::min(columns.end * dim_, from_.outputs) - first) * kWordPlanes);
    load.slot_bytes = u16(columns.size() * dim_ * kWordPlanes);
    load.piece_step = u16(taps.size() == 1 ? load.piece_bytes : from_.tap_pitch);
    load.run_bytes = static_cast<std::uint32_t>((taps.size() - 1) * from_.tap_pitch + load.piece_bytes);
    load.pieces = u16(taps.size());
    load.count0 = u16(depth);
    load.valid_to = u16(std::clamp(from_.depth - blocks.begin * kBlockElements, 0, depth));
    load.src_stride0 = static_cast<std::int32_t>(from_.pitch);
    load.dst = u16(row);
    load.dst_piece = 1;
    load.dst_block = u16(plane_of(units));
    load.dst_stride0 = u16(taps.size());
    builder_.append(load);
  }

  /// Several blocks, or several taps or columns.
  void store(Range columns, Range blocks, Range taps, int row) {
    const int unit_bytes = unit_rows_ * dim_;
    isa::Store store;
    store.dst = address_ + static_cast<std::uint32_t>(columns.begin * column_bytes() +
                                                      (taps.begin * blocks_ + blocks.begin) * unit_bytes);
    store.pieces = u16(blocks.size() * unit_rows_);
    store.piece_bytes = u16(dim_);
    store.src = u16(row);
    store.src_piece = store.src_block = 1;
    store.count0 = u16(taps.size() * columns.size());
    store.dst_stride0 = by_column_ ? column_bytes() : blocks_ * unit_bytes;
    store.src_stride0 = u16(unit_rows_);
    builder_.append(store);
  }

  Builder& builder_;
  const FloatColumns& from_;
  const std::uint32_t address_;
  const kernel::Kernel& kernel_;
  const int dim_, channels_, unit_rows_, columns_;
  const bool by_tap_;
  bool by_column_ = false;
  int blocks_ = 1, units_ = 1, together_ = 1;
  std::uint16_t entry_ = 0;
  RowRing words_, staging_;
};

}  // namespace

void write_tiles(Builder& builder, const FloatColumns& columns, const BlockTiles& to) {
  builder.begin_operator(fmt::format("tiles of {}x{} columns", columns.depth, columns.outputs), 0);
  Columns(builder, columns, to.address).write();
}

}  // namespace systole::compiler
