// SPDX-License-Identifier: Apache-2.0
#include "fuse_gradient_tiles.hpp"

#include <algorithm>

#include "kernels.hpp"
#include "layer_readers.hpp"

namespace systole::network {
namespace {

/// Whether the tiles are of whole images, and of as many as fill blocks.
bool are_images(const compiler::BlockTiles& tiles, const Image& image, const Configuration& configuration) {
  return tiles.depth == image.batch && tiles.kernel_h == image.height && tiles.kernel_w == image.width &&
         tiles.outputs * image.element_bytes == image.channels &&
         image.batch % compiler::BlockLanes(configuration.dim).group == 0;
}

bool leaves_nothing(const Window& window, const Image& image) {
  return image.height % window.kernel_h == 0 && image.width % window.kernel_w == 0;
}

}  // namespace

void fuse_gradient_tiles(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted,
                         const Configuration& configuration, const std::set<int>& plain,
                         Transformations& transformations) {
  if (!transformations.on(Transformation::kGradientTiles)) {
    return;
  }
  for (Layer& layer : layers) {
    const auto* gradient = std::get_if<FloatWindowsLayer>(&layer.kind);
    Layer* reader = gradient != nullptr && layer.inputs.size() == 2 && layer.input_parts.empty()
                        ? only_reader(layers, wanted, layer.output)
                        : nullptr;
    auto* tiles = reader == nullptr ? nullptr : std::get_if<BlockTilesLayer>(&reader->kind);
    if (tiles == nullptr || tiles->from != BlockOperand::kColumns || computes_any(layer, plain) ||
        computes_any(*reader, plain) || !are_images(tiles->sizes, layer.output_image, configuration) ||
        !leaves_nothing(gradient->window, layer.output_image)) {
      continue;
    }
    tiles->gradient = *gradient;
    reader->inputs = layer.inputs;
    reader->input_images = layer.input_images;
    reader->operators.insert(reader->operators.end(), layer.operators.begin(), layer.operators.end());
    layer.output = graph::kNoTensor;
    transformations.count(Transformation::kGradientTiles);
  }
  remove_fused(layers);
}

}  // namespace systole::network
