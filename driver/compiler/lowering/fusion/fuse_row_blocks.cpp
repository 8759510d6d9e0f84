// SPDX-License-Identifier: Apache-2.0
#include "fuse_row_blocks.hpp"

#include <memory>
#include <utility>

namespace systole::network {

std::int64_t fuse_row_blocks(SegmentContext& context) {
  std::int64_t fused = 0;
  if (compiler::BlockLanes(context.configuration.dim).planes > 1) {
    return fused;
  }
  for (Layer& layer : context.layers()) {
    auto* kernel = std::get_if<KernelLayer>(&layer.kind);
    if (kernel == nullptr || !(kernel->call.to_blocks || kernel->call.row_to_blocks) || context.stays_plain(layer)) {
      continue;
    }
    Layer* conversion = context.only_reader(layer.output);
    if (conversion == nullptr || !converts_whole(*conversion) || std::get<BlocksLayer>(conversion->kind).windows ||
        conversion->input_images[0] != layer.output_image ||
        !is_small(conversion->output_image, context.configuration)) {
      continue;
    }
    kernel->block_channels = std::get<BlocksLayer>(conversion->kind).channels;
    if (kernel->call.row_to_blocks) {
      kernel->call.row = std::make_shared<const compiler::RowFunction>(kernel->call.row->in_blocks());
    } else {
      kernel->call.source = std::exchange(kernel->call.to_blocks, {});
    }
    kernel->has_plain = true;
    layer.output_image = conversion->output_image;
    layer.output = conversion->output;
    absorb_behind(layer, *conversion);
    ++fused;
  }
  return fused;
}

}  // namespace systole::network
