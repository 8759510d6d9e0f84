// SPDX-License-Identifier: Apache-2.0
// Right operands in block floating point that were computed: blocks along the rows of a tensor become the tiles of a
// product. LOADs bring the bytes of each output channel to its lane of the tiles: they are turned, or, where a tile has
// fewer rows than lanes, come a byte a cycle.
#include "block_view.hpp"

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
constexpr int kMostRows = 1024;  // of tiles at a time: the STORE begins when the LOADs have written the last of them

class Tiles {
 public:
  Tiles(Builder& builder, const ComputedFilter& filter, std::uint32_t address)
      : builder_(builder),
        filter_(filter),
        address_(address),
        dim_(builder.dim()),
        lanes_(dim_),
        channels_(std::min(dim_, kBlockElements)),
        group_rows_(lanes_.planes * lanes_.halves * (channels_ + 1)),
        groups_(filter.blocks.groups(lanes_)),
        ring_(builder.workspace_begin(), std::max(1, builder.workspace_rows()), false) {
    const int room = std::min(builder.workspace_rows() / kBuffers, kMostRows) / group_rows_;
    if (room < 1) {
      throw DoesNotFit(
          fmt::format("tiles of {} rows do not fit {} scratchpad rows twice", group_rows_, builder.workspace_rows()));
    }
    groups_together_ = std::min(groups_, room);
    taps_together_ = groups_together_ < groups_ ? 1 : std::min(filter.taps(), room / groups_);
  }

  void write() {
    const int columns = ceil_div(filter_.outputs, dim_), column_rows = filter_.taps() * groups_ * group_rows_;
    for (int column = 0; column < columns; ++column) {
      const std::uint32_t to = address_ + static_cast<std::uint32_t>(column * column_rows * dim_);
      for (int tap = 0; tap < filter_.taps(); tap += taps_together_) {
        const Range taps{tap, std::min(filter_.taps(), tap + taps_together_)};
        for (int group = 0; group < groups_; group += groups_together_) {
          write(column, taps, {group, std::min(groups_, group + groups_together_)}, to);
        }
      }
    }
  }

 private:
  void write(int column, Range taps, Range groups, std::uint32_t to) {
    const int rows = taps.size() * groups.size() * group_rows_;
    const int row = ring_.take(rows).row;
    if (turns()) {
      for (int tap = taps.begin; tap < taps.end; ++tap) {
        load_turned(column, tap, groups, row + (tap - taps.begin) * groups.size() * group_rows_);
      }
    }
    for (int lane = 0; lane < dim_; ++lane) {
      if (!turns()) {
        load_mantissas(column, lane, taps, groups, row);
      }
      load_exponents(column, lane, taps, groups, row);
    }
    isa::Store store;
    store.dst = to + static_cast<std::uint32_t>((taps.begin * groups_ + groups.begin) * group_rows_ * dim_);
    store.pieces = u16(rows);
    store.piece_bytes = u16(dim_);
    store.src = u16(row);
    store.src_piece = 1;
    store.src_block = 1;
    builder_.append(store);
  }

  /// Of an output channel that does not exist, all bytes are zeros.
  std::uint16_t valid(int column, int lane, std::uint16_t runs) const {
    return column * dim_ + lane < filter_.outputs ? runs : std::uint16_t{0};
  }
  std::int64_t position(int column, int lane, int tap) const {
    return std::int64_t{std::min(column * dim_ + lane, filter_.outputs - 1)} * filter_.taps() + tap;
  }

  /// Whether tiles have as many rows as lanes.
  bool turns() const { return channels_ == dim_; }

  void load_turned(int column, int tap, Range groups, int row) {
    const int tiles = groups.size() * lanes_.group / dim_;
    isa::Load load = turned_bytes(dim_, std::min(dim_, filter_.outputs - column * dim_));
    load.src =
        filter_.blocks.position(position(column, 0, tap)) + static_cast<std::uint32_t>(groups.begin * lanes_.group);
    load.count1 = u16(tiles);
    load.src_stride0 = filter_.taps() * filter_.blocks.pitch();
    load.src_stride1 = dim_;
    load.dst = u16(row);
    load.dst_stride1 = u16(dim_ + 1);
    builder_.append(load);
  }

  void load_mantissas(int column, int lane, Range taps, Range groups, int row) {
    isa::Load load;
    load.src = filter_.blocks.position(position(column, lane, taps.begin)) +
               static_cast<std::uint32_t>(groups.begin * lanes_.group);
    load.run_bytes = static_cast<std::uint32_t>(channels_);
    load.pieces = u16(channels_);
    load.piece_step = load.piece_bytes = load.slot_bytes = 1;
    load.lane = static_cast<std::uint8_t>(lane);
    load.count0 = u16(groups.size() * lanes_.group / channels_);
    load.count1 = u16(taps.size());
    load.valid_to = valid(column, lane, load.count0);
    load.src_stride0 = channels_;
    load.src_stride1 = filter_.blocks.pitch();
    load.dst = u16(row);
    load.dst_piece = 1;
    load.dst_stride0 = u16(channels_ + 1);
    load.dst_stride1 = u16(groups.size() * group_rows_);
    builder_.append(load);
  }

  /// Tap by tap in the last row of each tile. Tiles of one block have the same exponents.
  void load_exponents(int column, int lane, Range taps, Range groups, int row) {
    for (int half = 0; half < lanes_.halves; ++half) {
      for (int part = 0; part < lanes_.planes; ++part) {
        isa::Load load;
        load.src = filter_.blocks.exponents(lanes_, groups.begin, position(column, lane, taps.begin)) +
                   static_cast<std::uint32_t>(half);
        load.run_bytes = static_cast<std::uint32_t>((taps.size() - 1) * lanes_.halves + 1);
        load.pieces = u16(taps.size());
        load.piece_step = u16(lanes_.halves);
        load.piece_bytes = load.slot_bytes = 1;
        load.lane = static_cast<std::uint8_t>(lane);
        load.count0 = u16(groups.size());
        load.valid_to = valid(column, lane, load.count0);
        load.src_stride0 = static_cast<std::int32_t>(filter_.blocks.positions * lanes_.halves);
        load.dst = u16(row + (part + half) * (channels_ + 1) + channels_);
        load.dst_piece = u16(groups.size() * group_rows_);
        load.dst_stride0 = u16(group_rows_);
        builder_.append(load);
      }
    }
  }

  Builder& builder_;
  const ComputedFilter& filter_;
  const std::uint32_t address_;
  const int dim_;
  const BlockLanes lanes_;
  const int channels_, group_rows_, groups_;
  int groups_together_ = 1, taps_together_ = 1;
  RowRing ring_;
};

}  // namespace

void write_tiles(Builder& builder, const ComputedFilter& filter, const BlockTiles& to) {
  builder.begin_operator(fmt::format("tiles of {}x{} blocks", filter.outputs * filter.taps(), filter.blocks.channels),
                         0);
  Tiles(builder, filter, to.address).write();
}

}  // namespace systole::compiler
