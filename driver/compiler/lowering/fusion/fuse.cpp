// SPDX-License-Identifier: Apache-2.0
#include "fuse.hpp"

#include <algorithm>
#include <utility>

namespace systole::network {
namespace {

using graph::TensorId;

/// The layer that computes the only input, if that input has no other use and the same shape there.
Layer* only_input(SegmentContext& context, const Layer& layer) {
  Layer* maker = context.sole_maker(layer.inputs[0]);
  return maker != nullptr && maker->output_image == layer.input_images[0] ? maker : nullptr;
}

void prepend(Layer& layer, Layer& before) {
  layer.inputs[0] = before.inputs[0];
  layer.input_images[0] = before.input_images[0];
  absorb_before(layer, before);
}

/// `after` becomes part of `layer`, which takes its place.
void append(Layer& layer, Layer& after) {
  layer.output = after.output;
  layer.name += " + " + after.name;
  absorb_behind(layer, after);
  after = std::move(layer);
  layer.output = graph::kNoTensor;
}

Window* sliding_of(LayerKind& kind) {
  if (auto* conv = std::get_if<ConvLayer>(&kind)) {
    return &conv->options.window;
  }
  if (auto* pool = std::get_if<MaxPoolLayer>(&kind)) {
    return &pool->window;
  }
  auto* pool = std::get_if<AveragePoolLayer>(&kind);
  return pool != nullptr ? &pool->window : nullptr;
}

/// Whether elements outside of the image, as the layer reads them, equal `value`: a convolution reads its zero point,
/// a maximum ignores them, an average reads its zero point if it counts them.
bool reads_outside(const LayerKind& kind, std::int8_t value) {
  if (const auto* conv = std::get_if<ConvLayer>(&kind)) {
    return conv->options.input_zero_point == value;
  }
  if (const auto* pool = std::get_if<AveragePoolLayer>(&kind)) {
    const Window& s = pool->window;
    return pool->ties == Ties::kAwayFromZero && pool->zero_point == value &&
           (pool->count_padding || s.pad_top + s.pad_bottom + s.pad_left + s.pad_right == 0);
  }
  return value == -128;
}

bool fuse_border(SegmentContext& context, Layer& layer) {
  Window* window = sliding_of(layer.kind);
  Layer* before = window != nullptr ? only_input(context, layer) : nullptr;
  const auto* moves = before != nullptr ? std::get_if<MoveLayer>(&before->kind) : nullptr;
  if (moves == nullptr || !moves->border) {
    return false;
  }
  const MoveLayer::Border& border = *moves->border;
  Window padded = *window;
  padded.pad_top += border.top;
  padded.pad_bottom += border.bottom;
  padded.pad_left += border.left;
  padded.pad_right += border.right;
  const bool whole_windows_outside =
      std::max(padded.pad_top, padded.pad_bottom) > (padded.kernel_h - 1) * padded.dilation_h ||
      std::max(padded.pad_left, padded.pad_right) > (padded.kernel_w - 1) * padded.dilation_w;
  if (whole_windows_outside || !reads_outside(layer.kind, border.value)) {
    return false;
  }
  *window = padded;
  if (auto* pool = std::get_if<AveragePoolLayer>(&layer.kind)) {
    pool->count_padding = true;
  }
  prepend(layer, *before);
  return true;
}

bool fuse_addition(SegmentContext& context, Layer& addition) {
  const auto* adds = std::get_if<AddLayer>(&addition.kind);
  if (adds == nullptr || addition.inputs.size() != 2 || addition.input_images[1] != addition.output_image) {
    return false;  // a constant, or one pixel that is broadcast
  }
  const auto addable = [&](const Layer* layer) {
    const auto* conv = layer == nullptr ? nullptr : std::get_if<ConvLayer>(&layer->kind);
    return conv != nullptr && !conv->add && !conv->table && layer->output_image == addition.output_image;
  };
  Layer* source = nullptr;  // the later one, if there are two
  std::size_t operand = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    if (Layer* maker = context.sole_maker(addition.inputs[i]); addable(maker) && maker > source) {
      source = maker;
      operand = i;
    }
  }
  if (source == nullptr) {
    return false;
  }
  AddParams add = adds->params;
  if (operand == 1) {
    std::swap(add.lhs_scale, add.rhs_scale);
    std::swap(add.lhs_zero_point, add.rhs_zero_point);
  }
  auto& conv = std::get<ConvLayer>(source->kind);
  if (conv.requantize.rounding != add.rounding || conv.requantize.zero_point != add.lhs_zero_point) {
    return false;
  }
  conv.add = add;
  const std::size_t other = 1 - operand;
  source->inputs.push_back(addition.inputs[other]);
  source->input_images.push_back(addition.input_images[other]);
  append(*source, addition);
  return true;
}

bool fuse_table(SegmentContext& context, Layer& layer) {
  auto* table = std::get_if<TableLayer>(&layer.kind);
  Layer* before = table != nullptr ? only_input(context, layer) : nullptr;
  if (before == nullptr) {
    return false;
  }
  if (auto* conv = std::get_if<ConvLayer>(&before->kind); conv != nullptr && !conv->add && !conv->raw && !conv->table) {
    conv->table = table->table;
    append(*before, layer);
    return true;
  }
  const auto* first = std::get_if<TableLayer>(&before->kind);
  if (first == nullptr) {
    return false;
  }
  const auto second = table->table;
  std::transform(first->table.begin(), first->table.end(), table->table.begin(),
                 [&](std::int8_t value) { return second[static_cast<std::uint8_t>(value)]; });
  prepend(layer, *before);
  return true;
}

/// No data has to be moved. It is worth it unless channels fill their blocks so badly that many more weights have to be
/// loaded.
bool flatten(SegmentContext& context, Layer& dense) {
  auto* conv = std::get_if<ConvLayer>(&dense.kind);
  Layer* reshape = conv != nullptr ? context.sole_maker(dense.inputs[0]) : nullptr;
  if (reshape == nullptr || !std::holds_alternative<ReshapeLayer>(reshape->kind)) {
    return false;
  }
  const Image& image = reshape->input_images[0];
  Window& window = conv->options.window;
  const bool whole =
      image.batch == 1 && image.bytes() == dense.input_images[0].channels && dense.input_images[0].width == 1;
  if (!whole || window.kernel_h != 1 || window.kernel_w != 1 || image.height > 255 || image.width > 255) {
    return false;
  }
  const int dim = context.configuration.dim;
  const auto tiles = [&](std::int64_t channels) { return (channels + dim - 1) / dim; };
  if (tiles(image.channels) * image.height * image.width > 2 * tiles(image.bytes())) {
    return false;
  }
  window.kernel_h = image.height;
  window.kernel_w = image.width;
  prepend(dense, *reshape);
  return true;
}

/// Not possible if both tensors must stay, or if it is an input of the segment and must stay.
bool drop(SegmentContext& context, Layer& reshape) {
  const TensorId from = reshape.inputs[0], to = reshape.output;
  if (!std::holds_alternative<ReshapeLayer>(reshape.kind) ||
      (context.wants(to) && (context.wants(from) || context.maker(from) == nullptr))) {
    return false;
  }
  reshape.output = graph::kNoTensor;
  const TensorId kept = context.wants(to) ? to : from;
  const TensorId gone = context.wants(to) ? from : to;
  for (Layer& layer : context.layers()) {
    if (layer.output != graph::kNoTensor) {
      layer.output = layer.output == gone ? kept : layer.output;
      std::replace(layer.inputs.begin(), layer.inputs.end(), gone, kept);
    }
  }
  return true;
}

/// Applies a rule to each layer in turn.
std::int64_t to_each(SegmentContext& context, bool (*rule)(SegmentContext&, Layer&)) {
  std::int64_t applied = 0;
  for (Layer& layer : context.layers()) {
    applied += layer.output != graph::kNoTensor && rule(context, layer) ? 1 : 0;
  }
  return applied;
}

}  // namespace

std::int64_t fuse_padding(SegmentContext& context) { return to_each(context, fuse_border); }
std::int64_t fuse_additions(SegmentContext& context) { return to_each(context, fuse_addition); }
std::int64_t fuse_tables(SegmentContext& context) { return to_each(context, fuse_table); }
std::int64_t fuse_flattening(SegmentContext& context) { return to_each(context, flatten); }
std::int64_t drop_reshapes(SegmentContext& context) { return to_each(context, drop); }

}  // namespace systole::network
