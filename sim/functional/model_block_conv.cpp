// SPDX-License-Identifier: Apache-2.0
// CONV in block floating point.
#include <algorithm>
#include <vector>

#include "block_sum.hpp"
#include "model_operations.hpp"
#include "systole/conv_tiles.hpp"

namespace systole::model {

void run_blocks(State& state, const isa::Conv& op) {
  const ConvTiles tiles = tiles_of(op, state.configuration());
  const int DIM = state.dim();
  // The sum of a block is complete with its last plane.
  std::vector<std::int32_t> products(std::size_t{op.out_height} * op.out_width * static_cast<std::size_t>(DIM));
  // operation: CONV with block_float
  // tiles: {channels: min(DIM, 16), rows: channels + 1, halves: DIM / channels, block_planes: 16 / channels, count}
  if (tiles.all_rows() > state.configuration().weight_rows) {
    throw Fault{isa::ErrorCode::kWeightRange, static_cast<std::uint32_t>(tiles.all_rows())};
  }
  Count tile = 0;
  for (Count ky = 0; ky < op.kernel_h; ++ky) {
    for (Count kx = 0; kx < op.kernel_w; ++kx) {
      for (Count kb = 0; kb < op.blocks; ++kb) {
        const Count plane = kb % tiles.block_planes;
        const bool complete = plane == tiles.block_planes - 1 || kb == op.blocks - 1;
        for (Count half = 0; half < tiles.halves; ++half, ++tile) {
          const bool begins = ky + kx == 0 && kb < tiles.block_planes && half == 0;
          const Count weight_row = op.weight_row + tile * tiles.rows;
          for (Count p = 0; p < Count{op.out_height} * op.out_width; ++p) {
            const Count y = op.y0 + p / op.out_width * op.stride_h + ky * op.dilation_h;
            const Count x = op.x0 + p % op.out_width * op.stride_w + kx * op.dilation_w;
            const bool inside = 0 <= y && y < op.in_height && 0 <= x && x < op.in_width;
            std::int32_t* sum = state.accumulator(op.acc_row + p);
            const std::uint16_t row = row16(op.act_row + kb * op.plane_stride + y * op.row_stride + x);
            const std::int8_t* activation = inside ? state.block_row(row) + half * tiles.channels : nullptr;
            const std::uint8_t act_exponent = inside ? state.exponent(row, half) : 0;
            for (Count n = 0; n < DIM; ++n) {
              std::int32_t& product = products[static_cast<std::size_t>(p * DIM + n)];
              product = plane == 0 ? 0 : product;
              for (Count k = 0; k < tiles.channels; ++k) {
                product += (inside ? activation[k] : op.pad_value) * state.weight(weight_row + k)[n];
              }
              if (complete) {
                const auto weight_exponent = static_cast<std::uint8_t>(state.weight(weight_row + tiles.channels)[n]);
                const float before = begins && !op.accumulate ? 0.0F : std::bit_cast<float>(sum[n]);
                const float after = add_block(before, product, act_exponent, weight_exponent);
                sum[n] = std::bit_cast<std::int32_t>(after);
              }
            }
          }
        }
      }
    }
  }
  // end operation
}

}  // namespace systole::model
