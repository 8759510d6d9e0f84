// SPDX-License-Identifier: Apache-2.0
#include "block_filter.hpp"

#include <algorithm>

#include "block_float.hpp"
#include "block_view.hpp"

namespace systole::compiler {

BlockFilter block_filter(const std::vector<float>& values, int outputs, int kernel_h, int kernel_w, int channels) {
  BlockFilter filter{outputs, kernel_h, kernel_w, channels, {}, {}};
  golden::ConversionCounts counts;
  const auto blocks = golden::to_blocks(golden::Matrix<float>(outputs * kernel_h * kernel_w, channels, values), counts);
  for (const golden::Block& block : blocks.data) {
    filter.mantissas.insert(filter.mantissas.end(), block.mantissas.begin(), block.mantissas.end());
    filter.exponents.push_back(block.exponent);
  }
  return filter;
}

std::vector<std::uint8_t> tile_bytes(const BlockFilter& filter, int dim) {
  const int taps = filter.kernel_h * filter.kernel_w;
  const BlockLanes lanes(dim);
  const int channels = std::min(dim, kBlockElements), of_tap = ceil_div(filter.channels, kBlockElements);
  const int tiles = ceil_div(filter.channels, lanes.group) * lanes.group / channels;
  const int columns = ceil_div(filter.outputs, dim);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(columns * taps * tiles * (channels + 1) * dim), 0);
  auto to = bytes.begin();
  for (int first = 0; first < filter.outputs; first += dim) {
    for (int tap = 0; tap < taps; ++tap) {
      for (int tile = 0; tile < tiles; ++tile) {
        const int block = tile * channels / kBlockElements, within = tile * channels % kBlockElements;
        for (int k = 0; k <= channels; ++k, to += dim) {
          for (int o = first; block < of_tap && o < std::min(first + dim, filter.outputs); ++o) {
            const auto at = static_cast<std::size_t>((o * taps + tap) * of_tap + block);
            to[o - first] = k == channels
                                ? filter.exponents[at]
                                : static_cast<std::uint8_t>(
                                      filter.mantissas[at * kBlockElements + static_cast<std::size_t>(within + k)]);
          }
        }
      }
    }
  }
  return bytes;
}

}  // namespace systole::compiler
