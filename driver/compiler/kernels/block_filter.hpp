// SPDX-License-Identifier: Apache-2.0
// Weights that the host converts to block floating point: those of the compiled network, and inputs that are written as
// weights.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels.hpp"

namespace systole::compiler {

/// Of weights OHWI in binary32.
BlockFilter block_filter(const std::vector<float>& values, int outputs, int kernel_h, int kernel_w, int channels);

/// As weight tiles, as a BlockTiles lies in device memory: for each DIM outputs, tap by tap, the tiles of all blocks.
std::vector<std::uint8_t> tile_bytes(const BlockFilter& filter, int dim);

}  // namespace systole::compiler
