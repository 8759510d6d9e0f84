// SPDX-License-Identifier: Apache-2.0
#include "weights.hpp"

#include <algorithm>
#include <utility>

namespace systole::compiler {
namespace {

std::uint16_t u16(std::int64_t value) { return static_cast<std::uint16_t>(value); }

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

std::vector<WeightColumn> weight_columns(const ConvWeights& weights, int out_channels, int kernel_h, int kernel_w,
                                         int in_per_group, int groups, int dim) {
  const int out_per_group = out_channels / groups;
  const auto size = [](int value) { return static_cast<std::size_t>(value); };
  const int tap_rows = weights.parts * kernel_h;
  std::vector<WeightColumn> columns;
  for (int first = 0; first < out_channels; first += dim) {
    const int last = std::min(first + dim, out_channels) - 1;
    const Range channels{first / out_per_group * in_per_group, (last / out_per_group + 1) * in_per_group};
    const Range blocks = without_zeros({channels.begin / dim, ceil_div(channels.end, dim)}, [&](int block) {
      return are_zeros(weights, out_channels, kernel_h * kernel_w, in_per_group, groups, {first, last + 1},
                       {block * dim, block * dim + dim});
    });
    const int rows = blocks.size() * tap_rows;
    std::vector<std::uint8_t> bytes(size(rows * kernel_w) * size(dim * dim), 0);
    std::vector<bool> zero(size(rows), true);
    for (int part = 0; part < weights.parts; ++part) {
      for (int o = first; o <= last; ++o) {
        for (int ky = 0; ky < kernel_h; ++ky) {
          for (int kx = 0; kx < kernel_w; ++kx) {
            for (int i = 0; i < in_per_group; ++i) {
              const int channel = o / out_per_group * in_per_group + i;
              if (channel / dim < blocks.begin || channel / dim >= blocks.end) {
                continue;
              }
              const int row = (channel / dim - blocks.begin) * tap_rows + part * kernel_h + ky;
              const std::size_t to =
                  (size(row * kernel_w + kx) * size(dim) + size(channel % dim)) * size(dim) + size(o - first);
              const std::size_t at =
                  (((size(part) * size(out_channels) + size(o)) * size(kernel_h) + size(ky)) * size(kernel_w) +
                   size(kx)) *
                      size(in_per_group) +
                  size(i);
              bytes[to] = static_cast<std::uint8_t>(weights.values[at]);
              zero[size(row)] = zero[size(row)] && bytes[to] == 0;
            }
          }
        }
      }
    }
    columns.push_back({blocks, std::move(bytes), std::move(zero)});
  }
  return columns;
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
  for (WeightColumn& column :
       weight_columns(weights, out_channels, kernel_h, kernel_w, in_per_group, groups, builder.dim())) {
    result.columns_.push_back({column.blocks, builder.constant(std::move(column.bytes)), std::move(column.zero)});
  }
  return result;
}

TiledWeights TiledWeights::packed(Builder& builder, const ConvWeights& weights, int out_channels, int depth) {
  return convolution(builder, weights, out_channels, 1, 1, depth, 1);
}

}  // namespace systole::compiler
