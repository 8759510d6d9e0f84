// SPDX-License-Identifier: Apache-2.0
#include "fuse_gradient_tiles.hpp"

#include "kernels.hpp"

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

std::int64_t fuse_gradient_tiles(SegmentContext& context) {
  std::int64_t fused = 0;
  for (Layer& layer : context.layers()) {
    const auto* gradient = std::get_if<FloatWindowsLayer>(&layer.kind);
    Layer* reader = gradient != nullptr && layer.inputs.size() == 2 && layer.input_parts.empty()
                        ? context.only_reader(layer.output)
                        : nullptr;
    auto* tiles = reader == nullptr ? nullptr : std::get_if<BlockTilesLayer>(&reader->kind);
    if (tiles == nullptr || tiles->from != BlockOperand::kColumns || context.stays_plain(layer) ||
        context.stays_plain(*reader) || !are_images(tiles->sizes, layer.output_image, context.configuration) ||
        !leaves_nothing(gradient->window, layer.output_image)) {
      continue;
    }
    tiles->gradient = *gradient;
    reader->inputs = layer.inputs;
    reader->input_images = layer.input_images;
    absorb_behind(*reader, layer);
    ++fused;
  }
  return fused;
}

}  // namespace systole::network
