// SPDX-License-Identifier: Apache-2.0
#include "separate_tiles.hpp"

#include <utility>
#include <vector>

#include "written_tiles.hpp"

namespace systole::network {
namespace {

/// The right operand, if it becomes tiles.
struct Right {
  BlockOperand* operand = nullptr;
  compiler::BlockTiles sizes;
};

Right right_of(Layer& layer) {
  if (auto* conv = std::get_if<BlockConvLayer>(&layer.kind);
      conv != nullptr && conv->right != BlockOperand::kConstant) {
    const compiler::BlockFilter& f = conv->filter;
    return {&conv->right, {0, f.channels, f.outputs, f.kernel_h, f.kernel_w}};
  }
  auto* product = std::get_if<BlockProductLayer>(&layer.kind);
  if (product != nullptr && product->right == BlockOperand::kColumns) {
    return {&product->right, {0, product->channels, product->result.columns}};
  }
  return {};
}

}  // namespace

std::int64_t separate_tiles(SegmentContext& context) {
  Segment& segment = context.segment;
  const int dim = context.configuration.dim;
  std::int64_t separated = 0;
  std::vector<Layer> all;
  for (Layer& layer : segment.layers) {
    if (auto* product = std::get_if<BlockProductLayer>(&layer.kind);
        product != nullptr && product->right == BlockOperand::kWritten) {
      const WrittenTiles tiles{product->channels, product->result.columns, product->written_transposed};
      segment.tiles[layer.inputs[1]] = tiles;
      layer.input_images[1] = {1, 1, 1, static_cast<int>(bytes_of(tiles, dim))};
      product->right = BlockOperand::kTiles;
    }
    if (const auto [operand, sizes] = right_of(layer); operand != nullptr) {
      const int op = layer.operators.front();
      const graph::TensorId result = context.graph.op(static_cast<std::size_t>(op)).outputs.at(0);
      Layer tiles;
      tiles.name = layer.name + "/tiles";
      tiles.kind = BlockTilesLayer{*operand, sizes, std::nullopt};
      tiles.inputs = {layer.inputs[1]};
      tiles.output = between_layers(result, kMostBetween - 1);
      tiles.input_images = {layer.input_images[1]};
      tiles.output_image = {1, 1, 1, static_cast<int>(compiler::bytes_of(sizes, dim))};
      tiles.operators = {op};
      layer.inputs[1] = tiles.output;
      layer.input_images[1] = tiles.output_image;
      *operand = BlockOperand::kTiles;
      all.push_back(std::move(tiles));
      ++separated;
    }
    all.push_back(std::move(layer));
  }
  segment.layers = std::move(all);
  return separated;
}

}  // namespace systole::network
