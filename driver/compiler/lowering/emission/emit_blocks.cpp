// SPDX-License-Identifier: Apache-2.0
#include "emit_blocks.hpp"

#include "block_conversion.hpp"
#include "kernels.hpp"

namespace systole::network {
namespace {

constexpr int kWordBytes = 4;  // of binary32

}  // namespace

compiler::BlockView BlockEmission::blocks_of(TensorId id, const Image& image, int channels) const {
  compiler::BlockView blocks{0, image.width, channels};
  blocks.chip = placement_.chip(id);
  blocks.address = blocks.chip ? 0 : addresses_.at(id);
  return blocks;
}

compiler::BlockView BlockEmission::blocks(const Layer& layer, std::size_t i, int channels) const {
  return blocks_of(layer.inputs[i], layer.input_images[i], channels);
}

compiler::BlockRows BlockEmission::rows(const Layer& layer, int channels,
                                        const std::optional<BlocksLayer>& converts) const {
  if (!converts) {
    return {blocks(layer, 0, channels)};
  }
  const auto positions_of = [](const Image& image) { return std::int64_t{image.batch} * image.height * image.width; };
  compiler::BlockRows rows{compiler::BlockView{0, positions_of(layer.input_images[0]), channels}};
  rows.words = view_of(layer.input_images[0]);
  rows.words->address = addresses_.at(layer.inputs[0]);
  if (converts->windows) {
    rows.blocks.positions = positions_of(converts->windows->to);
    rows.windows = {converts->windows->window, view_of(converts->windows->to)};
  }
  return rows;
}

void BlockEmission::emit(const Layer& layer, const BlocksLayer& conversion, const std::vector<TensorView>& parts,
                         int first) const {
  const compiler::BlockView to = blocks_of(layer.output, layer.output_image, conversion.channels);
  if (conversion.windows) {
    TensorView image = view_of(conversion.windows->from);
    image.address = addresses_.at(layer.inputs[0]);
    compiler::to_blocks(builder_, image, conversion.windows->window, view_of(conversion.windows->to), to);
    return;
  }
  const compiler::BlockLanes lanes(builder_.dim());
  compiler::BlockPlace place;
  place.position = first;
  for (const TensorView& part : parts) {
    compiler::to_blocks_at(builder_, part, to, place);
    if (part.channels / part.element_bytes == conversion.channels) {
      place.position += part.batch * part.height * part.width;
    } else {
      place.group += part.channels / part.element_bytes / lanes.group;
    }
  }
}

template <class Product>
compiler::BlockResults BlockEmission::results_of(const Layer& layer, const Product& product) const {
  compiler::BlockResults results = product.results;
  const std::size_t others = results.function ? results.function->function->operands.size() - 1 : 0;
  const std::size_t first = layer.inputs.size() - others, behind = first - (product.adds_tensor ? 1 : 0);
  if (product.adds_tensor) {
    results.addend = addresses_.at(layer.inputs[behind]);
  }
  if (product.adds_input) {
    results.computed_bias = addresses_.at(layer.inputs[behind - 1]);
  }
  if (results.function) {
    for (std::size_t i = first; i < layer.inputs.size(); ++i) {
      results.function->operands.push_back(addresses_.at(layer.inputs[i]));
    }
  }
  if (layer.words_output != graph::kNoTensor) {
    (results.function ? results.function->also : results.words) = addresses_.at(layer.words_output);
  }
  return results;
}

void BlockEmission::emit(const Layer& layer, const BlockConvLayer& conv) const {
  const Image &from = conv.from, &to = conv.to;
  const TensorView image{0, from.batch, from.height, from.width, from.channels};
  const TensorView output{addresses_.at(layer.output), to.batch, to.height, to.width, kWordBytes * to.channels};
  const compiler::BlockRows input = rows(layer, from.channels, conv.converts);
  const compiler::BlockFilter& f = conv.filter;
  const compiler::BlockResults results = results_of(layer, conv);
  if (conv.right == BlockOperand::kConstant) {
    compiler::block_conv2d(builder_, image, input, f, conv.window, results, output);
  } else {
    const compiler::BlockTiles tiles{addresses_.at(layer.inputs[1]), f.channels, f.outputs, f.kernel_h, f.kernel_w};
    compiler::block_conv2d(builder_, image, input, tiles, conv.window, results, output);
  }
}

void BlockEmission::emit(const Layer& layer, const BlockTilesLayer& tiles) const {
  compiler::BlockTiles to = tiles.sizes;
  to.address = addresses_.at(layer.output);
  if (tiles.from == BlockOperand::kBlocks) {
    compiler::write_tiles(
        builder_, compiler::ComputedFilter{blocks(layer, 0, to.depth), to.outputs, to.kernel_h, to.kernel_w}, to);
    return;
  }
  const std::int64_t tap_pitch = std::int64_t{to.outputs} * kWordBytes;
  compiler::write_tiles(builder_,
                        compiler::FloatColumns{addresses_.at(layer.inputs[0]), to.depth, to.outputs, to.kernel_h,
                                               to.kernel_w, tap_pitch * to.taps(), tap_pitch},
                        to);
}

compiler::BlockRows BlockEmission::left_of(const Layer& layer, const BlockProductLayer& product) const {
  if (!product.turned) {
    return rows(layer, product.channels, product.converts);
  }
  compiler::BlockRows turned{compiler::BlockView{0, product.result.rows, product.channels}};
  turned.turned = compiler::BlockTiles{addresses_.at(layer.inputs[0]), product.channels, product.result.rows};
  return turned;
}

void BlockEmission::emit(const Layer& layer, const BlockProductLayer& product) const {
  const compiler::BlockRows a = left_of(layer, product);
  compiler::BlockResults results = results_of(layer, product);
  if (product.maxima) {
    results.words.reset();
    results.maxima = product.maxima;
    results.maxima->address = addresses_.at(layer.words_output);
  }
  for (std::size_t i = 0; i < product.result.first.size(); ++i) {
    compiler::BlockRows rows = a;
    rows.blocks.first = product.a.first[i] / product.channels;
    const int count = product.result.rows;
    TensorView to{0, 1, 1, count, kWordBytes * product.result.columns};
    to.chip = placement_.chip(layer.output);
    if (!to.chip) {
      to.address = static_cast<std::uint32_t>(addresses_.at(layer.output) + product.result.first[i] * kWordBytes);
    }
    if (product.constant) {
      compiler::block_matmul(builder_, rows, count, *product.constant, results, to);
    } else if (product.right == BlockOperand::kTiles) {
      const compiler::BlockTiles tiles{addresses_.at(layer.inputs[1]), product.channels, product.result.columns};
      compiler::block_matmul(builder_, rows, count, tiles, results, to);
    } else {
      compiler::BlockView right = blocks(layer, 1, product.channels);
      right.first = product.b.first[i] / product.channels;
      compiler::block_matmul(builder_, rows, count, right, product.result.columns, results, to);
    }
  }
}

}  // namespace systole::network
