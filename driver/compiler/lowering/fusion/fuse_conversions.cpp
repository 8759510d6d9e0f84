// SPDX-License-Identifier: Apache-2.0
#include "fuse_conversions.hpp"

#include <optional>

#include "systole/kernel.hpp"

namespace systole::network {
namespace {

/// What a product converts of its left operand, if it can.
std::optional<BlocksLayer>* converts_of(Layer& layer) {
  if (auto* conv = std::get_if<BlockConvLayer>(&layer.kind)) {
    return conv->right == BlockOperand::kConstant ? &conv->converts : nullptr;
  }
  auto* product = std::get_if<BlockProductLayer>(&layer.kind);
  return product != nullptr && product->a.first.size() == 1 && product->result.first.size() == 1 ? &product->converts
                                                                                                 : nullptr;
}

/// Whether there is room for two tiles of some positions, in half of the scratchpad.
bool has_room(const BlocksLayer& blocks, const Configuration& configuration) {
  constexpr int kPositions = 64, kTiles = 2, kShare = 2;
  return compiler::ceil_div(blocks.channels, configuration.dim) * kPositions * kTiles * kShare <=
         configuration.scratch_rows;
}

/// Whether parts of a line, of whole strips, make up the line.
bool has_pieces(const BlocksLayer& blocks) {
  return !blocks.windows || blocks.windows->to.width % kernel::kStripRows == 0;
}

}  // namespace

std::int64_t fuse_conversions(SegmentContext& context) {
  const Configuration& configuration = context.configuration;
  std::int64_t fused = 0;
  if (configuration.dim < kBlockElements) {
    return fused;
  }
  for (Layer& layer : context.layers()) {
    const auto* blocks = std::get_if<BlocksLayer>(&layer.kind);
    if (!converts_whole(layer) || is_small(layer.output_image, configuration) || !has_room(*blocks, configuration) ||
        !has_pieces(*blocks)) {
      continue;
    }
    Layer* reader = context.only_reader(layer.output);
    std::optional<BlocksLayer>* converts = reader == nullptr ? nullptr : converts_of(*reader);
    if (converts == nullptr || context.stays_plain(*reader) || reader->inputs[0] != layer.output) {
      continue;
    }
    *converts = *blocks;
    reader->inputs[0] = layer.inputs[0];
    reader->input_images[0] = layer.input_images[0];
    absorb_before(*reader, layer);
    ++fused;
  }
  return fused;
}

}  // namespace systole::network
