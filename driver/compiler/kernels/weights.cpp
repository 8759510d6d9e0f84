// SPDX-License-Identifier: Apache-2.0
#include "weights.hpp"

#include <algorithm>
#include <utility>

#include "fields.hpp"

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

/// The blocks less those at their ends that are zeros; at least one.
template <class IsZero>
Range without_zeros(Range blocks, const IsZero& zero) {
  while (blocks.size() > 1 && zero(blocks.end - 1)) {
    --blocks.end;
  }
  while (blocks.size() > 1 && zero(blocks.begin)) {
    ++blocks.begin;
  }
  return blocks;
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
  WeightColumn column{blocks, std::vector<std::uint8_t>(size(rows * kernel_w) * size(dim * dim), 0),
                      std::vector<bool>(size(rows), true)};
  for (int part = 0; part < weights.parts; ++part) {
    for (int o = first; o <= last; ++o) {
      const int before = o / out_per_group * in_per_group;
      const int begin = std::max(blocks.begin * dim - before, 0);
      const int end = std::min(blocks.end * dim - before, in_per_group);
      for (int tap = 0; tap < kernel_h * kernel_w; ++tap) {
        const std::int8_t* from =
            weights.values +
            ((size(part) * size(out_channels) + size(o)) * size(kernel_h * kernel_w) + size(tap)) * size(in_per_group);
        for (int i = begin; i < end; ++i) {
          const int row = ((before + i) / dim - blocks.begin) * tap_rows + part * kernel_h + tap / kernel_w;
          const std::size_t to =
              (size(row * kernel_w + tap % kernel_w) * size(dim) + size((before + i) % dim)) * size(dim) +
              size(o - first);
          column.bytes[to] = static_cast<std::uint8_t>(from[i]);
          column.zero[size(row)] = column.zero[size(row)] && from[i] == 0;
        }
      }
    }
  }
  return column;
}

void TiledWeights::load(Builder& builder, Range columns, Range blocks, Range taps, int row, int column_rows) const {
  const int dim = builder.dim();
  const int tile_bytes = dim * dim;
  for (int column = columns.begin; column < columns.end; ++column) {
    const Column& from = columns_[static_cast<std::size_t>(column)];
    const int first = (blocks.begin - from.blocks.begin) * kernel_h_ * kernel_w_ + taps.begin * kernel_w_;
    const int tiles = blocks.size() * taps.size() * kernel_w_;
    isa::Load load;
    load.space = static_cast<std::uint8_t>(isa::Space::kWeight);
    load.src = from.address + static_cast<std::uint32_t>(first) * static_cast<std::uint32_t>(tile_bytes);
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
  const Column& from = columns_[static_cast<std::size_t>(column)];
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
    result.columns_.push_back({column.blocks, builder.constant(std::move(column.bytes)), std::move(column.zero)});
  }
  return result;
}

TiledWeights TiledWeights::packed(Builder& builder, const ConvWeights& weights, int out_channels, int depth) {
  return convolution(builder, weights, out_channels, 1, 1, depth, 1);
}

}  // namespace systole::compiler
