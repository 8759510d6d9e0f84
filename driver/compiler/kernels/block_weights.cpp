// SPDX-License-Identifier: Apache-2.0
#include "block_weights.hpp"

#include <algorithm>
#include <utility>

#include "block_filter.hpp"
#include "fields.hpp"
#include "turned_load.hpp"

namespace systole::compiler {
namespace {

/// Bytes of DIM outputs.
std::int64_t column_bytes(const BlockTiles& tiles, int dim) {
  const TiledBlockWeights one(dim, tiles.depth, tiles.kernel_h, tiles.kernel_w, {});
  return std::int64_t{tiles.taps()} * one.blocks(0).size() * one.tap_rows(dim) * dim;
}

}  // namespace

std::int64_t bytes_of(const BlockTiles& tiles, int dim) {
  return ceil_div(tiles.outputs, dim) * column_bytes(tiles, dim);
}

TiledBlockWeights tiles_of(const BlockTiles& tiles, int dim) {
  std::vector<std::uint32_t> addresses;
  for (int column = 0; column < ceil_div(tiles.outputs, dim); ++column) {
    addresses.push_back(tiles.address + static_cast<std::uint32_t>(column * column_bytes(tiles, dim)));
  }
  return {dim, tiles.depth, tiles.kernel_h, tiles.kernel_w, std::move(addresses)};
}

TiledBlockWeights constant_tiles(Builder& builder, const BlockFilter& filter) {
  const int dim = builder.dim();
  const std::vector<std::uint8_t> bytes = tile_bytes(filter, dim);
  const std::ptrdiff_t columns = ceil_div(filter.outputs, dim);
  const auto size = static_cast<std::ptrdiff_t>(bytes.size()) / columns;
  std::vector<std::uint32_t> addresses;
  for (std::ptrdiff_t column = 0; column < columns; ++column) {
    const auto first = bytes.begin() + column * size;
    addresses.push_back(builder.constant(std::vector<std::uint8_t>(first, first + size)));
  }
  return {dim, filter.channels, filter.kernel_h, filter.kernel_w, std::move(addresses)};
}

void TiledBlockWeights::load(Builder& builder, Range columns, Range blocks, Range taps, int row,
                             int column_rows) const {
  const int rows = tap_rows(dim_), bytes = rows * dim_;
  for (int column = columns.begin; column < columns.end; ++column) {
    const int first = taps.begin * this->blocks(column).size() + blocks.begin;
    isa::Load load;
    load.space = static_cast<std::uint8_t>(isa::Space::kWeight);
    load.src = addresses_[static_cast<std::size_t>(column)] + static_cast<std::uint32_t>(first * bytes);
    load.pieces = u16(blocks.size() * taps.size());
    load.run_bytes = static_cast<std::uint32_t>(load.pieces * bytes);
    load.piece_step = load.piece_bytes = load.slot_bytes = u16(bytes);
    load.dst = u16(row + (column - columns.begin) * column_rows);
    load.dst_piece = u16(rows);
    load.dst_block = 1;
    load.valid_to = 1;
    builder.append(load);
  }
}

void ComputedBlockWeights::load(Builder& builder, Range columns, Range blocks, Range, int row, int column_rows) const {
  for (int column = columns.begin; column < columns.end; ++column, row += column_rows) {
    if (tiles() == 1) {
      load_turned(builder, column, blocks, row);
    } else {
      for (int lane = 0; lane < dim_; ++lane) {
        load_mantissas(builder, column, lane, blocks, row);
      }
    }
    load_exponents(builder, column, blocks, row);
  }
}

/// DIM stored rows are the lanes of a column of tiles.
void ComputedBlockWeights::load_turned(Builder& builder, int column, Range blocks, int row) const {
  const int first = column * dim_;
  isa::Load load = turned_bytes(dim_, std::min(dim_, columns_ - first));
  load.space = static_cast<std::uint8_t>(isa::Space::kWeight);
  load.src = matrix_.position(first) + static_cast<std::uint32_t>(blocks.begin * dim_);
  load.count1 = u16(blocks.size());
  load.src_stride0 = matrix_.pitch();
  load.src_stride1 = dim_;
  load.dst = u16(row);
  load.dst_stride1 = u16(dim_ + 1);
  builder.append(load);
}

/// Where a tile has fewer rows than lanes, its bytes come one by one: those of a stored row are a lane.
void ComputedBlockWeights::load_mantissas(Builder& builder, int column, int lane, Range blocks, int row) const {
  const int position = column * dim_ + lane, channels = tile_channels();
  isa::Load load;
  load.space = static_cast<std::uint8_t>(isa::Space::kWeight);
  load.src = matrix_.position(std::min(position, columns_ - 1)) + static_cast<std::uint32_t>(blocks.begin * dim_);
  load.run_bytes = static_cast<std::uint32_t>(channels);
  load.pieces = u16(channels);
  load.piece_step = load.piece_bytes = load.slot_bytes = 1;
  load.lane = static_cast<std::uint8_t>(lane);
  load.count0 = u16(blocks.size() * tiles());
  load.valid_to = position < columns_ ? load.count0 : std::uint16_t{0};
  load.src_stride0 = channels;
  load.dst = u16(row);
  load.dst_piece = 1;
  load.dst_stride0 = u16(channels + 1);
  builder.append(load);
}

/// The last row of each tile. Both halves of a row of 32 lanes lie side by side in memory, so that they come lane by
/// lane.
void ComputedBlockWeights::load_exponents(Builder& builder, int column, Range blocks, int row) const {
  const int channels = tile_channels(), groups = blocks.size() / lanes_.planes;
  const int first = column * dim_, there = std::min(dim_, columns_ - first);
  isa::Load load;
  load.space = static_cast<std::uint8_t>(isa::Space::kWeight);
  load.count0 = u16(groups);
  load.valid_to = load.count0;
  load.src_stride0 = static_cast<std::int32_t>(matrix_.positions * lanes_.halves);
  load.dst_stride0 = u16(lanes_.planes * tap_rows(dim_));
  const bool by_lane = lanes_.halves > 1;
  for (int lane = 0; lane < (by_lane ? there : 1); ++lane) {
    load.src = matrix_.exponents(lanes_, blocks.begin / lanes_.planes, first + lane);
    load.run_bytes = static_cast<std::uint32_t>(by_lane ? lanes_.halves : there);
    load.pieces = u16(lanes_.halves);
    load.piece_step = load.piece_bytes = u16(by_lane ? 1 : there);
    load.slot_bytes = u16(by_lane ? 1 : dim_);
    load.lane = static_cast<std::uint8_t>(lane);
    load.dst_piece = u16(channels + 1);
    for (int part = 0; part < lanes_.planes; ++part) {
      load.dst = u16(row + part * tap_rows(dim_) + channels);
      builder.append(load);
    }
  }
}

}  // namespace systole::compiler
