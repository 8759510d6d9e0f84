// SPDX-License-Identifier: Apache-2.0
#include "fuse_maxima.hpp"

#include "kernels.hpp"

namespace systole::network {
namespace {

/// Whether the windows tile the image and leave nothing of it.
bool tiles_all(const Window& w, const Image& image) {
  return compiler::tiles_image(w, image.height, image.width) && image.height % w.kernel_h == 0 &&
         image.width % w.kernel_w == 0;
}

/// Whether there is room for a line of windows in the accumulators.
bool has_room(const compiler::BlockMaxima& maxima, const Configuration& configuration) {
  return 2 * maxima.line() <= configuration.acc_rows;
}

/// Whether the product's results leave as binary32, position by position, and as nothing else.
bool leaves_words(const Layer& layer, const Configuration& configuration) {
  const auto* product = std::get_if<BlockProductLayer>(&layer.kind);
  return product != nullptr && product->result.first.size() == 1 && product->result.columns == product->result.pitch &&
         !product->results.blocks && layer.words_output == graph::kNoTensor &&
         !is_small(layer.output_image, configuration);
}

}  // namespace

std::int64_t fuse_maxima(SegmentContext& context) {
  const Configuration& configuration = context.configuration;
  std::int64_t fused = 0;
  for (Layer& pool : context.layers()) {
    const auto* windows = std::get_if<FloatWindowsLayer>(&pool.kind);
    if (windows == nullptr || pool.inputs.size() != 1 || !pool.input_parts.empty()) {
      continue;
    }
    const Image& image = pool.input_images[0];
    const compiler::BlockMaxima maxima{0, image.width, windows->window.kernel_h, windows->window.kernel_w};
    Layer* maker = context.maker(pool.inputs[0]);
    if (maker == nullptr || context.stays_plain(*maker) || context.stays_plain(pool) ||
        !leaves_words(*maker, configuration) || !tiles_all(windows->window, image) ||
        !has_room(maxima, configuration)) {
      continue;
    }
    auto& product = std::get<BlockProductLayer>(maker->kind);
    if (product.result.columns * image.element_bytes != image.channels ||
        product.result.rows != image.batch * image.height * image.width) {
      continue;
    }
    product.maxima = maxima;
    maker->words_output = pool.output;
    maker->words_image = pool.output_image;
    absorb_behind(*maker, pool);
    ++fused;
  }
  return fused;
}

}  // namespace systole::network
