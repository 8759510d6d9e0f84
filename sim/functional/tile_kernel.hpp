// SPDX-License-Identifier: Apache-2.0
// The inner loop of CONV: one weight tile times a list of activation rows. Compiled once per vector extension, each in
// a translation unit of its own, so that no other code uses wide instructions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace systole::model {

/// sums[p*dim + n] += sum over k of rows[p][k] * weights[k*dim + n], wrapping.
using TileKernel = void (*)(std::int32_t* sums, const std::int8_t* const* rows, std::size_t positions,
                            const std::int8_t* weights);

TileKernel tile_kernel_sse2(int dim);
TileKernel tile_kernel_avx2(int dim);
TileKernel tile_kernel_avx512(int dim);

/// The fastest kernel for this processor, or nullptr if there is none for this array size.
TileKernel tile_kernel(int dim);

}  // namespace systole::model
