// SPDX-License-Identifier: Apache-2.0
// CONV tile by tile: collects the activation rows of all positions, then multiplies them in one kernel call. In block
// floating point the products of a block are collected as integers.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "block_sum.hpp"
#include "model_operations.hpp"
#include "systole/conv_tiles.hpp"
#include "tile_kernel.hpp"

namespace systole::model {
namespace {

/// Largest input coordinate that is read along one axis, or -1 if all taps read padding. May be an upper bound.
std::int64_t last_read(std::int64_t start, int outputs, int stride, int taps, int dilation, int inputs) {
  const std::int64_t end = start + std::int64_t{outputs - 1} * stride + std::int64_t{taps - 1} * dilation;
  return end < 0 || start >= inputs ? -1 : std::min<std::int64_t>(end, inputs - 1);
}

/// True when no position can fault and no address wraps.
bool stays_inside(const Configuration& c, const isa::Conv& op) {
  const std::int64_t positions = std::int64_t{op.out_height} * op.out_width;
  const std::int64_t y = last_read(op.y0, op.out_height, op.stride_h, op.kernel_h, op.dilation_h, op.in_height);
  const std::int64_t x = last_read(op.x0, op.out_width, op.stride_w, op.kernel_w, op.dilation_w, op.in_width);
  const std::int64_t last_row =
      y < 0 || x < 0 ? 0 : op.act_row + std::int64_t{op.blocks - 1} * op.plane_stride + y * op.row_stride + x;
  return tiles_of(op, c).all_rows() <= c.weight_rows && op.acc_row + positions <= c.acc_rows &&
         last_row < c.scratch_rows;
}

/// Activation rows of one tile for every output position.
void list_rows(const State& state, const isa::Conv& op, const std::int8_t* plane, int ky, int kx,
               const std::int8_t* padding, std::vector<const std::int8_t*>& rows) {
  const int dim = state.dim();
  const std::int8_t** next = rows.data();
  for (int oy = 0; oy < op.out_height; ++oy) {
    const int y = op.y0 + oy * op.stride_h + ky * op.dilation_h;
    if (y < 0 || y >= op.in_height) {
      std::fill_n(next, op.out_width, padding);
      next += op.out_width;
      continue;
    }
    const std::int8_t* line = plane + std::int64_t{y} * op.row_stride * dim;
    int x = op.x0 + kx * op.dilation_w;
    for (int ox = 0; ox < op.out_width; ++ox, x += op.stride_w) {
      *next++ = x >= 0 && x < op.in_width ? line + std::int64_t{x} * dim : padding;
    }
  }
}

}  // namespace

TileKernel tile_kernel(int dim) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    return tile_kernel_avx512(dim);
  }
  return __builtin_cpu_supports("avx2") ? tile_kernel_avx2(dim) : tile_kernel_sse2(dim);
}

bool fast_conv(State& state, const isa::Conv& op) {
  if (op.block_float != 0) {
    return fast_block_conv(state, op);
  }
  const int dim = state.dim();
  const TileKernel kernel = tile_kernel(dim);
  if (!kernel || !stays_inside(state.configuration(), op)) {
    return false;
  }
  const std::size_t side = static_cast<std::size_t>(dim);
  const std::size_t positions = std::size_t{op.out_height} * op.out_width;
  const std::vector<std::int8_t> padding(side, op.pad_value);
  std::vector<const std::int8_t*> rows(positions);
  std::vector<std::int8_t> weights(side * side);
  std::int32_t* const sums = state.accumulator(op.acc_row);
  if (!op.accumulate) {
    std::memset(sums, 0, positions * side * sizeof *sums);
  }
  const std::int8_t* const scratch = state.scratch(0);
  unsigned weight_row = op.weight_row;
  const Count tiles = Count{op.blocks} * op.kernel_h * op.kernel_w;
  Count tile = 0;
  for (int kb = 0; kb < op.blocks; ++kb) {
    const std::int8_t* plane = scratch + (op.act_row + std::int64_t{kb} * op.plane_stride) * dim;
    for (int ky = 0; ky < op.kernel_h; ++ky) {
      for (int kx = 0; kx < op.kernel_w; ++kx, ++tile) {
        if (skips(op, tile, tiles)) {
          continue;
        }
        for (std::size_t k = 0; k < side; ++k) {  // row by row: the ring may wrap within a tile
          std::memcpy(&weights[k * side], state.weight(weight_row++), side);
        }
        list_rows(state, op, plane, ky, kx, padding.data(), rows);
        kernel(sums, rows.data(), positions, weights.data());
      }
    }
  }
  return true;
}

bool fast_block_conv(State& state, const isa::Conv& op) {
  const int dim = state.dim();
  const TileKernel kernel = tile_kernel(dim);
  if (!kernel || !stays_inside(state.configuration(), op)) {
    return false;
  }
  const ConvTiles tiles = tiles_of(op, state.configuration());
  const std::size_t side = static_cast<std::size_t>(dim);
  const std::size_t positions = std::size_t{op.out_height} * op.out_width;
  const std::vector<std::int8_t> padding(side, op.pad_value);
  std::vector<const std::int8_t*> rows(positions);
  std::vector<std::int32_t> products(positions * side);
  std::vector<std::uint8_t> weight_exponents(side);
  std::int32_t* const sums = state.accumulator(op.acc_row);
  if (!op.accumulate) {
    std::memset(sums, 0, positions * side * sizeof *sums);
  }
  const std::int8_t* const scratch = state.scratch(0);
  Count weight_row = op.weight_row;
  for (int ky = 0; ky < op.kernel_h; ++ky) {
    for (int kx = 0; kx < op.kernel_w; ++kx) {
      for (int kb = 0; kb < op.blocks; ++kb) {
        const int plane = kb % tiles.block_planes;
        const std::int8_t* from = scratch + (op.act_row + std::int64_t{kb} * op.plane_stride) * dim;
        list_rows(state, op, from, ky, kx, padding.data(), rows);
        for (int half = 0; half < tiles.halves; ++half) {
          if (plane == 0) {
            std::fill(products.begin(), products.end(), 0);
          }
          std::vector<std::int8_t> weights(side * side);  // rows of the other half are zeros
          for (int k = 0; k < tiles.channels; ++k) {
            const std::int8_t* row = state.weight(weight_row++);
            std::memcpy(&weights[static_cast<std::size_t>(half * tiles.channels + k) * side], row, side);
          }
          std::memcpy(weight_exponents.data(), state.weight(weight_row++), side);
          kernel(products.data(), rows.data(), positions, weights.data());
          if (plane != tiles.block_planes - 1 && kb != op.blocks - 1) {
            continue;
          }
          for (std::size_t p = 0; p < positions; ++p) {
            const bool inside = rows[p] != padding.data();
            const auto row = inside ? row16((rows[p] - scratch) / dim) : std::uint16_t{0};
            const std::uint8_t act_exponent = inside ? state.exponent(row, half) : 0;
            for (std::size_t n = p * side; n < (p + 1) * side; ++n) {
              const float sum = std::bit_cast<float>(sums[n]);
              sums[n] =
                  std::bit_cast<std::int32_t>(add_block(sum, products[n], act_exponent, weight_exponents[n % side]));
            }
          }
        }
      }
    }
  }
  return true;
}

}  // namespace systole::model
