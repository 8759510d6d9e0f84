// SPDX-License-Identifier: Apache-2.0
#include "fuse_row_blocks.hpp"

#include <utility>

#include "layer_readers.hpp"

namespace systole::network {

void fuse_row_blocks(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted,
                     const Configuration& configuration, const std::set<int>& plain, Transformations& transformations) {
  if (compiler::BlockLanes(configuration.dim).planes > 1 || !transformations.on(Transformation::kRowBlocks)) {
    return;
  }
  for (Layer& layer : layers) {
    auto* kernel = std::get_if<KernelLayer>(&layer.kind);
    if (kernel == nullptr || !kernel->call.to_blocks || computes_any(layer, plain)) {
      continue;
    }
    Layer* conversion = only_reader(layers, wanted, layer.output);
    if (conversion == nullptr || !std::holds_alternative<BlocksLayer>(conversion->kind) ||
        !converts_whole(*conversion) || std::get<BlocksLayer>(conversion->kind).windows ||
        conversion->input_images[0] != layer.output_image || !is_small(conversion->output_image, configuration)) {
      continue;
    }
    kernel->block_channels = std::get<BlocksLayer>(conversion->kind).channels;
    kernel->call.source = std::exchange(kernel->call.to_blocks, {});
    kernel->has_plain = true;
    layer.output_image = conversion->output_image;
    layer.output = std::exchange(conversion->output, graph::kNoTensor);
    transformations.count(Transformation::kRowBlocks);
    for (const int op : conversion->operators) {
      layer.operators.push_back(op);
    }
  }
  remove_fused(layers);
}

}  // namespace systole::network
