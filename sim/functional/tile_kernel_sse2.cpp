// SPDX-License-Identifier: Apache-2.0
#include "tile_kernel.hpp"
#include "tile_kernel_body.hpp"

namespace systole::model {

TileKernel tile_kernel_sse2(int dim) {
  switch (dim) {
    case 4: return multiply_tile<4, Vector128>;
    case 8: return multiply_tile<8, Vector128>;
    case 16: return multiply_tile<16, Vector128>;
    case 32: return multiply_tile<32, Vector128>;
    default: return nullptr;
  }
}

}  // namespace systole::model
