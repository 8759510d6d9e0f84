// SPDX-License-Identifier: Apache-2.0
#include "fuse.hpp"

#include <algorithm>
#include <cstdint>

#include "fuse_block_results.hpp"
#include "fuse_parts.hpp"
#include "fuse_transpositions.hpp"
#include "layer_readers.hpp"

namespace systole::network {
namespace {

using graph::TensorId;

class Fusion {
 public:
  Fusion(std::vector<Layer>& layers, const std::vector<TensorId>& wanted, int dim, Transformations& transformations)
      : layers_(layers), wanted_(wanted), dim_(dim), transformations_(transformations) {}

  void run() {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (on(Transformation::kPadding)) {
        fuse_border(layers_[i]);
      }
      if (std::holds_alternative<AddLayer>(layers_[i].kind) && on(Transformation::kAdditions)) {
        fuse_addition(i);
      } else if (std::holds_alternative<TableLayer>(layers_[i].kind) && on(Transformation::kTables)) {
        fuse_tables(layers_[i]);
      } else if (auto* conv = std::get_if<ConvLayer>(&layers_[i].kind);
                 conv != nullptr && on(Transformation::kFlattening)) {
        fuse_flattening(i, *conv);
      }
    }
    for (Layer& layer : layers_) {
      if (std::holds_alternative<ReshapeLayer>(layer.kind) && layer.output != graph::kNoTensor &&
          on(Transformation::kReshapes)) {
        drop(layer);
      }
    }
    remove_fused(layers_);
  }

 private:
  bool on(Transformation which) const { return transformations_.on(which); }

  /// The layer that computes the tensor if the tensor has no other use; otherwise -1.
  int sole_maker(TensorId id) const {
    if (wanted(id)) {
      return -1;
    }
    int maker = -1;
    int users = 0;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (layers_[i].output == graph::kNoTensor) {
        continue;
      }
      if (layers_[i].output == id) {
        maker = static_cast<int>(i);
      }
      users += static_cast<int>(std::count(layers_[i].inputs.begin(), layers_[i].inputs.end(), id));
    }
    return users == 1 ? maker : -1;
  }

  /// The layer that computes the only input, if that input has no other use.
  Layer* only_input(const Layer& layer) {
    const int maker = sole_maker(layer.inputs[0]);
    if (maker < 0 || layers_[static_cast<std::size_t>(maker)].output_image != layer.input_images[0]) {
      return nullptr;
    }
    return &layers_[static_cast<std::size_t>(maker)];
  }

  static void prepend(Layer& layer, Layer& before) {
    layer.inputs[0] = before.inputs[0];
    layer.input_images[0] = before.input_images[0];
    layer.operators.insert(layer.operators.begin(), before.operators.begin(), before.operators.end());
    before.output = graph::kNoTensor;
  }

  /// Padding that becomes the window operator's own padding.
  void fuse_border(Layer& layer) {
    Window* window = sliding_of(layer.kind);
    Layer* before = window != nullptr ? only_input(layer) : nullptr;
    const auto* moves = before != nullptr ? std::get_if<MoveLayer>(&before->kind) : nullptr;
    if (moves == nullptr || !moves->border) {
      return;
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
      return;
    }
    *window = padded;
    if (auto* pool = std::get_if<AveragePoolLayer>(&layer.kind)) {
      pool->count_padding = true;
    }
    prepend(layer, *before);
    transformations_.count(Transformation::kPadding);
  }

  static Window* sliding_of(LayerKind& kind) {
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
  static bool reads_outside(const LayerKind& kind, std::int8_t value) {
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

  /// A table applied to a table becomes one table; one applied to the result of a convolution becomes part of it.
  void fuse_tables(Layer& layer) {
    Layer* before = only_input(layer);
    if (auto* conv = before != nullptr ? std::get_if<ConvLayer>(&before->kind) : nullptr) {
      fuse_table(layer, *before, *conv);
      return;
    }
    const auto* first = before != nullptr ? std::get_if<TableLayer>(&before->kind) : nullptr;
    if (first == nullptr) {
      return;
    }
    const auto second = std::get<TableLayer>(layer.kind).table;
    std::transform(first->table.begin(), first->table.end(), std::get<TableLayer>(layer.kind).table.begin(),
                   [&](std::int8_t value) { return second[static_cast<std::uint8_t>(value)]; });
    prepend(layer, *before);
    transformations_.count(Transformation::kTables);
  }

  void fuse_table(Layer& layer, Layer& before, ConvLayer& conv) {
    if (conv.add || conv.raw || conv.table) {
      return;
    }
    conv.table = std::get<TableLayer>(layer.kind).table;
    append(before, layer);
    transformations_.count(Transformation::kTables);
  }

  /// `after` becomes part of `layer`, which takes its place.
  static void append(Layer& layer, Layer& after) {
    layer.output = after.output;
    layer.name += " + " + after.name;
    layer.operators.insert(layer.operators.end(), after.operators.begin(), after.operators.end());
    after = std::move(layer);
    layer.output = graph::kNoTensor;
  }

  /// Fuses an addition with the convolution that computes its operand, at the place of the addition.
  void fuse_addition(std::size_t index) {
    Layer& addition = layers_[index];
    if (addition.inputs.size() != 2 || addition.input_images[1] != addition.output_image) {
      return;  // a constant, or one pixel that is broadcast
    }
    int best = -1;
    std::size_t operand = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const int maker = sole_maker(addition.inputs[i]);
      if (maker > best && addable(layers_[static_cast<std::size_t>(maker)], addition.output_image)) {
        best = maker;
        operand = i;
      }
    }
    if (best < 0) {
      return;
    }
    AddParams add = std::get<AddLayer>(addition.kind).params;
    if (operand == 1) {
      std::swap(add.lhs_scale, add.rhs_scale);
      std::swap(add.lhs_zero_point, add.rhs_zero_point);
    }
    Layer& source = layers_[static_cast<std::size_t>(best)];
    auto& conv = std::get<ConvLayer>(source.kind);
    if (conv.requantize.rounding != add.rounding || conv.requantize.zero_point != add.lhs_zero_point) {
      return;
    }
    conv.add = add;
    const std::size_t other = 1 - operand;
    source.inputs.push_back(addition.inputs[other]);
    source.input_images.push_back(addition.input_images[other]);
    append(source, addition);
    transformations_.count(Transformation::kAdditions);
  }

  static bool addable(const Layer& layer, const Image& output) {
    const auto* conv = std::get_if<ConvLayer>(&layer.kind);
    return conv != nullptr && !conv->add && !conv->table && layer.output_image == output;
  }

  /// A fully connected layer of a flattened image is a convolution whose kernel covers the image: no data has to be
  /// moved. Worth it unless channels fill their blocks so badly that many more weights have to be loaded.
  void fuse_flattening(std::size_t index, ConvLayer& conv) {
    Layer& dense = layers_[index];
    const int maker = sole_maker(dense.inputs[0]);
    if (maker < 0 || !std::holds_alternative<ReshapeLayer>(layers_[static_cast<std::size_t>(maker)].kind)) {
      return;
    }
    const Layer& reshape = layers_[static_cast<std::size_t>(maker)];
    const Image& image = reshape.input_images[0];
    const Window& s = conv.options.window;
    const bool whole =
        image.batch == 1 && image.bytes() == dense.input_images[0].channels && dense.input_images[0].width == 1;
    if (!whole || s.kernel_h != 1 || s.kernel_w != 1 || image.height > 255 || image.width > 255) {
      return;
    }
    const auto tiles = [&](std::int64_t channels) { return (channels + dim_ - 1) / dim_; };
    if (tiles(image.channels) * image.height * image.width > 2 * tiles(image.bytes())) {
      return;
    }
    conv.options.window.kernel_h = image.height;
    conv.options.window.kernel_w = image.width;
    dense.inputs[0] = reshape.inputs[0];
    dense.input_images[0] = image;
    dense.operators.insert(dense.operators.begin(), reshape.operators.begin(), reshape.operators.end());
    layers_[static_cast<std::size_t>(maker)].output = graph::kNoTensor;
    transformations_.count(Transformation::kFlattening);
  }

  bool wanted(TensorId id) const { return std::find(wanted_.begin(), wanted_.end(), id) != wanted_.end(); }

  /// Removes a reshape: users of the tensor see its bytes in another shape, and the bytes stay in place. Not possible
  /// if both tensors must stay, or if it is an input of the segment and must stay.
  void drop(Layer& reshape) {
    const TensorId from = reshape.inputs[0];
    const TensorId to = reshape.output;
    const auto maker =
        std::find_if(layers_.begin(), layers_.end(), [&](const Layer& layer) { return layer.output == from; });
    if (wanted(to) && (wanted(from) || maker == layers_.end())) {
      return;
    }
    reshape.output = graph::kNoTensor;
    transformations_.count(Transformation::kReshapes);
    const TensorId kept = wanted(to) ? to : from;
    const TensorId gone = wanted(to) ? from : to;
    for (Layer& layer : layers_) {
      if (layer.output != graph::kNoTensor) {
        layer.output = layer.output == gone ? kept : layer.output;
        std::replace(layer.inputs.begin(), layer.inputs.end(), gone, kept);
      }
    }
  }

  std::vector<Layer>& layers_;
  const std::vector<TensorId>& wanted_;
  const int dim_;
  Transformations& transformations_;
};

}  // namespace

void fuse(std::vector<Layer>& layers, const std::vector<TensorId>& wanted, const Configuration& configuration,
          Transformations& transformations) {
  remove_unread(layers, wanted);  // kernels of later operators compute them anew
  Fusion(layers, wanted, configuration.dim, transformations).run();
  fuse_transpositions(layers, wanted, transformations);
  fuse_block_results(layers, wanted, configuration, transformations);
  fuse_parts(layers, wanted, configuration.dim, transformations);
}

}  // namespace systole::network
