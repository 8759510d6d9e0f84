// SPDX-License-Identifier: Apache-2.0
#include "weights.hpp"

#include <algorithm>
#include <utility>

#include "fields.hpp"
#include "systole/conv_tiles.hpp"

namespace systole::compiler {
namespace {

/// Whether the weights of some outputs are zeros for some inputs. Weights are OHWI, `taps` for an output and an input.
bool are_zeros(const ConvWeights& weights, int out_channels, int taps, int in_per_group, int groups, Range outputs,
               Range inputs) {
  for (int output = outputs.begin; output < outputs.end; ++output) {
    const int before = output / (out_channels / groups) * in_per_group;
    const int begin = std::max(inputs.begin - before, 0), end = std::min(inputs.end - before, in_per_group);
    for (int row = 0; row < weights.parts * taps && begin < end; ++row) {
      const int part = row / taps, tap = row % taps;
      const std::int8_t* at =
          weights.values + ((std::int64_t{part} * out_channels + output) * taps + tap) * in_per_group;
      if (std::any_of(at + begin, at + end, [](std::int8_t weight) { return weight != 0; })) {
        return false;
      }
    }
  }
  return true;
}

/// Without the tiles of zeros, if CONVs can skip each of them: not of several parts, whose tiles several CONVs
/// multiply, and not of more taps than a CONV has bits for. The first stays if there is no other. `weights` are their
/// numbers in each tile.
void leave_out_zeros(WeightColumn& column, int parts, int taps, int tile_bytes,
                     const std::vector<std::int64_t>& weights) {
  const auto tiles = static_cast<std::ptrdiff_t>(column.bytes.size()) / tile_bytes;
  column.stored.assign(static_cast<std::size_t>(tiles), true);
  if (parts > 1 || taps > kSkippedTiles) {
    return;
  }
  const bool empty =
      std::all_of(column.bytes.begin(), column.bytes.end(), [](std::uint8_t weight) { return weight == 0; });
  auto to = column.bytes.begin();
  for (std::ptrdiff_t tile = 0; tile < tiles; ++tile) {
    const auto from = column.bytes.begin() + tile * tile_bytes;
    const bool keep =
        (empty && tile == 0) || std::any_of(from, from + tile_bytes, [](std::uint8_t weight) { return weight != 0; });
    column.stored[static_cast<std::size_t>(tile)] = keep;
    column.left_out += keep ? 0 : weights[static_cast<std::size_t>(tile)];
    to = keep ? std::copy(from, from + tile_bytes, to) : to;
  }
  column.bytes.erase(to, column.bytes.end());
}

/// The blocks less those at their ends that are zeros, at least one, if these are most of all: columns that read the
/// same blocks share them.
template <class IsZero>
Range without_zeros(Range blocks, const IsZero& zero) {
  Range left = blocks;
  while (left.size() > 1 && zero(left.end - 1)) {
    --left.end;
  }
  while (left.size() > 1 && zero(left.begin)) {
    ++left.begin;
  }
  return 2 * left.size() <= blocks.size() ? left : blocks;
}

}  // namespace

WeightColumn weight_column(const ConvWeights& weights, int out_channels, int kernel_h, int kernel_w, int in_per_group,
                           int groups, int dim, int number) {
  const int out_per_group = out_channels / groups;
  const auto size = [](int value) { return static_cast<std::size_t>(value); };
  const int tap_rows = weights.parts * kernel_h, first = number * dim;
  const int last = std::min(first + dim, out_channels) - 1;
  const Range channels{first / out_per_group * in_per_group, (last / out_per_group + 1) * in_per_group};
  const Range blocks = without_zeros({channels.begin / dim, ceil_div(channels.end, dim)}, [&](int block) {
    return are_zeros(weights, out_channels, kernel_h * kernel_w, in_per_group, groups, {first, last + 1},
                     {block * dim, block * dim + dim});
  });
  const int rows = blocks.size() * tap_rows;
  WeightColumn column{blocks,
                      std::vector<std::uint8_t>(size(rows * kernel_w) * size(dim * dim), 0),
                      {},
                      std::vector<bool>(size(rows), true)};
  std::vector<std::int64_t> weights_of_tiles(size(rows * kernel_w));
  for (int part = 0; part < weights.parts; ++part) {
    for (int o = first; o <= last; ++o) {
      const int before = o / out_per_group * in_per_group;
      const int begin = std::max(blocks.begin * dim - before, 0);
      const int end = std::min(blocks.end * dim - before, in_per_group);
      const int beside = in_per_group - std::max(end - begin, 0);
      column.left_out += weights.parts == 1 ? std::int64_t{kernel_h} * kernel_w * beside : 0;
      for (int tap = 0; tap < kernel_h * kernel_w; ++tap) {
        const std::int8_t* from =
            weights.values +
            ((size(part) * size(out_channels) + size(o)) * size(kernel_h * kernel_w) + size(tap)) * size(in_per_group);
        for (int i = begin; i < end; ++i) {
          const int row = ((before + i) / dim - blocks.begin) * tap_rows + part * kernel_h + tap / kernel_w;
          ++weights_of_tiles[size(row * kernel_w + tap % kernel_w)];
          const std::size_t to =
              (size(row * kernel_w + tap % kernel_w) * size(dim) + size((before + i) % dim)) * size(dim) +
              size(o - first);
          column.bytes[to] = static_cast<std::uint8_t>(from[i]);
          column.zero[size(row)] = column.zero[size(row)] && from[i] == 0;
        }
      }
    }
  }
  leave_out_zeros(column, weights.parts, kernel_h * kernel_w, dim * dim, weights_of_tiles);
  return column;
}

std::size_t TiledWeights::tile(int column, int block, int tap_row, int tap_column) const {
  const int row = (block - blocks(column).begin) * kernel_h_ + tap_row;
  return static_cast<std::size_t>(row * kernel_w_ + tap_column);
}

int TiledWeights::stored(int column, Range blocks, Range taps) const {
  const std::size_t first = tile(column, blocks.begin, taps.begin, 0);
  const int tiles = blocks.size() * taps.size() * kernel_w_;
  return stored_before(column, first + static_cast<std::size_t>(tiles)) - stored_before(column, first);
}

bool TiledWeights::begins(int column, int block, int tap_row) const {
  return stored_before(column, tile(column, block, tap_row, 0)) == 0;
}

bool TiledWeights::is_stored(int column, int block, int tap_row, int tap_column) const {
  const std::size_t number = tile(column, block, tap_row, tap_column);
  return stored_before(column, number) < stored_before(column, number + 1);
}

void TiledWeights::load(Builder& builder, Range columns, Range blocks, Range taps, int row, int column_rows) const {
  const int dim = builder.dim();
  const int tile_bytes = dim * dim;
  for (int column = columns.begin; column < columns.end; ++column) {
    const int first = stored_before(column, tile(column, blocks.begin, taps.begin, 0));
    const int tiles = stored(column, blocks, taps);
    if (tiles == 0) {
      continue;
    }
    isa::Load load;
    load.space = static_cast<std::uint8_t>(isa::Space::kWeight);
    load.src =
        this->column(column).address + static_cast<std::uint32_t>(first) * static_cast<std::uint32_t>(tile_bytes);
    load.run_bytes = static_cast<std::uint32_t>(tiles) * static_cast<std::uint32_t>(tile_bytes);
    load.pieces = u16(tiles);
    load.piece_step = u16(tile_bytes);
    load.piece_bytes = u16(tile_bytes);
    load.slot_bytes = u16(tile_bytes);
    load.dst = u16(row + (column - columns.begin) * column_rows);
    load.dst_piece = u16(dim);
    load.dst_block = 1;
    load.valid_to = 1;
    builder.append(load);
  }
}

bool TiledWeights::is_zero(int column, int block, Range taps) const {
  const Column& from = this->column(column);
  const auto first = from.zero.begin() + (block - from.blocks.begin) * kernel_h_;
  return std::all_of(first + taps.begin, first + taps.end, [](bool zero) { return zero; });
}

TiledWeights TiledWeights::convolution(Builder& builder, const ConvWeights& weights, int out_channels, int kernel_h,
                                       int kernel_w, int in_per_group, int groups) {
  TiledWeights result;
  result.parts_ = weights.parts;
  result.kernel_h_ = weights.parts * kernel_h;
  result.kernel_w_ = kernel_w;
  for (int number = 0; number < ceil_div(out_channels, builder.dim()); ++number) {
    WeightColumn column =
        weight_column(weights, out_channels, kernel_h, kernel_w, in_per_group, groups, builder.dim(), number);
    std::vector<int> before{0};
    for (const bool is_stored : column.stored) {
      before.push_back(before.back() + (is_stored ? 1 : 0));
    }
    result.left_out_ += column.left_out;
    result.columns_.push_back(
        {column.blocks, builder.constant(std::move(column.bytes)), std::move(column.zero), std::move(before)});
  }
  return result;
}

TiledWeights TiledWeights::packed(Builder& builder, const ConvWeights& weights, int out_channels, int depth) {
  return convolution(builder, weights, out_channels, 1, 1, depth, 1);
}

}  // namespace systole::compiler
