// SPDX-License-Identifier: Apache-2.0
#include "fuse_conversions.hpp"

#include <algorithm>

#include "layer_readers.hpp"
#include "systole/kernel.hpp"

namespace systole::network {
namespace {

using graph::TensorId;

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

void fuse_conversions(std::vector<Layer>& layers, const std::vector<TensorId>& wanted,
                      const Configuration& configuration, const std::set<int>& plain,
                      Transformations& transformations) {
  if (configuration.dim < kBlockElements || !transformations.on(Transformation::kConversions)) {
    return;
  }
  for (Layer& layer : layers) {
    const auto* blocks = std::get_if<BlocksLayer>(&layer.kind);
    if (!converts_whole(layer) || is_small(layer.output_image, configuration) || !has_room(*blocks, configuration) ||
        !has_pieces(*blocks)) {
      continue;
    }
    Layer* reader = only_reader(layers, wanted, layer.output);
    std::optional<BlocksLayer>* converts = reader == nullptr ? nullptr : converts_of(*reader);
    const bool plainly = converts == nullptr || std::any_of(reader->operators.begin(), reader->operators.end(),
                                                            [&](int op) { return plain.count(op) != 0; });
    if (plainly || reader->inputs[0] != layer.output) {
      continue;
    }
    *converts = *blocks;
    reader->inputs[0] = layer.inputs[0];
    reader->input_images[0] = layer.input_images[0];
    reader->operators.insert(reader->operators.begin(), layer.operators.begin(), layer.operators.end());
    layer.output = graph::kNoTensor;
    transformations.count(Transformation::kConversions);
  }
  remove_fused(layers);
}

}  // namespace systole::network
