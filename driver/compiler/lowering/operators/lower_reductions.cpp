// SPDX-License-Identifier: Apache-2.0
#include "lower_reductions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "arithmetic.hpp"
#include "fold_formulas.hpp"
#include "infer.hpp"
#include "int16.hpp"
#include "lower_moves.hpp"
#include "quantized_types.hpp"
#include "quantized_values.hpp"
#include "refused.hpp"
#include "rescale.hpp"
#include "row_formulas.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Reduce;
using graph::ReduceKind;
using graph::Tensor;
using graph::TensorId;

constexpr int kWord = 4;  // bytes of 32 bits

/// Neighbouring axes that are all reduced, or all kept.
struct Group {
  std::int64_t size = 1;
  bool reduced = false;
};

/// Axes of length 1 belong to no group.
std::vector<Group> groups_of(const graph::Shape& shape, const Reduce& reduce) {
  std::vector<bool> reduced(shape.size(), false);
  for (const int axis : reduce.axes) {
    reduced[graph::axis_of(axis, shape.size())] = true;
  }
  std::vector<Group> groups;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1) {
      if (groups.empty() || groups.back().reduced != reduced[axis]) {
        groups.push_back({1, reduced[axis]});
      }
      groups.back().size *= shape[axis];
    }
  }
  return groups;
}

/// The image of the tensor if that has positions of `elements`, otherwise all of them in one row of an image.
Image image_with(const Tensor& tensor, std::int64_t elements) {
  const Image image = image_of(tensor);
  const std::int64_t bytes = elements * image.element_bytes;
  return image.channels == bytes
             ? image
             : Image{1, 1, static_cast<int>(image.bytes() / bytes), static_cast<int>(bytes), image.element_bytes};
}

/// Elements that follow each other along the axes after `axis`.
std::int64_t elements_after(const graph::Shape& shape, std::size_t axis) {
  const auto first = shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1;
  return std::accumulate(first, shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// A layer that makes 64 bits of the results of another, which have 32 and no sign; `image` is
/// what it makes.
Layer widened(const Layer& words, const Image& image) {
  Layer layer;
  layer.name = words.name + "/widen";
  layer.inputs = {words.output};
  layer.input_images = {words.output_image};
  layer.output_image = image;
  compiler::ByteBox lower;
  lower.inner = words.output_image.bytes() / kWord;
  lower.bytes = lower.from_inner = kWord;
  lower.to_inner = 2 * kWord;
  compiler::ByteBox upper = lower;
  upper.to = kWord;
  upper.fill = std::int8_t{0};
  layer.kind = MoveLayer{{{0, -1, lower}, {0, -1, upper}}, {}};
  return layer;
}

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op, const Reduce& reduce)
      : graph_(graph), op_(op), reduce_(reduce), groups_(groups_of(input().shape, reduce)) {}

  std::vector<Layer> run() {
    for (const Tensor* tensor : {&input(), &output()}) {
      require_type(*tensor, {ElementType::kInt8, ElementType::kUint8, ElementType::kInt16}, "int8, uint8 or int16");
    }
    require(!input().constant, "a constant operand");
    require(reduce_.kind != ReduceKind::kProduct, "a product of elements");
    if (is_extreme()) {
      require(graph::same_quantization(input(), output()), "an extreme that changes the quantization");
    } else if (op_.arithmetic != graph::Arithmetic::kTfLite) {
      throw Refused("the device has no sums or means in ONNX arithmetic");
    }
    Layer layer;
    layer.name = op_.name;
    layer.inputs = op_.inputs;
    layer.output = op_.outputs[0];
    if (is_mean_of_image()) {
      layer.input_images = {image_of(input())};
      layer.output_image = {layer.input_images[0].batch, 1, 1, layer.input_images[0].channels};
      layer.kind = MeanLayer{quantization(input()).zero_point, requantize()};
      return {std::move(layer)};
    }
    bring_together(layer);
    reduce(layer);
    layers_.push_back(std::move(layer));
    return std::move(layers_);
  }

 private:
  const Tensor& input() const { return graph_.tensor(op_.inputs[0]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }
  bool is_wide() const { return input().type == ElementType::kInt16; }
  bool is_extreme() const { return reduce_.kind == ReduceKind::kMax || reduce_.kind == ReduceKind::kMin; }

  std::int64_t elements_of_result() const { return graph::count(input().shape) / graph::count(output().shape); }

  /// Over height and width, for which the device has an instruction.
  bool is_mean_of_image() const {
    std::vector<std::size_t> axes;
    for (const int axis : reduce_.axes) {
      axes.push_back(graph::axis_of(axis, input().shape.size()));
    }
    std::sort(axes.begin(), axes.end());
    return reduce_.kind == ReduceKind::kMean && !is_wide() && input().shape.size() == 4 &&
           axes == std::vector<std::size_t>{1, 2};
  }

  /// Of sums; the scale of a mean includes the division by the number of elements.
  Requantize requantize() const {
    Requantize requantize;
    QuantParam scale;
    if (is_wide()) {
      scale = quantize_multiplier(double{graph::scale_of(input())} / double{graph::scale_of(output())});
    } else {
      const golden::UniformQuantization from = quantization(input()), to = quantization(output());
      scale = golden::rescale_params(from, to).scale;
      requantize.zero_point = to.zero_point;
    }
    requantize.scale = {reduce_.kind == ReduceKind::kMean ? golden::mean_scale(scale, elements_of_result()) : scale};
    require(is_valid(requantize.scale[0]), "a scale that no multiplier can represent");
    return requantize;
  }

  /// Transposes the input if more than one group is reduced: kept groups, reduced groups, and the last group if it is
  /// kept, so that moves copy as many bytes at once as possible.
  void bring_together(Layer& layer) {
    if (std::count_if(groups_.begin(), groups_.end(), [](const Group& group) { return group.reduced; }) < 2) {
      return;
    }
    std::vector<int> order(groups_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto kept = [&](int group) { return !groups_[static_cast<std::size_t>(group)].reduced; };
    std::stable_partition(order.begin(), order.end() - (groups_.back().reduced ? 0 : 1), kept);

    Graph graph;
    Operator transpose;
    transpose.name = op_.name + "/transpose";
    transpose.kind = graph::Transpose{order};
    transpose.inputs = {0};
    transpose.outputs = {1};
    graph.tensors.resize(2);
    graph.tensors[0].type = graph.tensors[1].type = input().type;
    std::vector<Group> groups;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      graph.tensors[0].shape.push_back(groups_[i].size);
      groups.push_back(groups_[static_cast<std::size_t>(order[i])]);
      graph.tensors[1].shape.push_back(groups.back().size);
    }
    auto lowered = lower_moves(graph, transpose);
    if (const auto* host = std::get_if<OnHost>(&lowered)) {
      throw Refused(host->reason);
    }
    Layer moves = std::move(std::get<std::vector<Layer>>(lowered).front());
    moves.inputs = std::move(layer.inputs);
    moves.output = between_layers(layer.output, 0);
    layer.inputs = {moves.output};
    layers_.push_back(std::move(moves));
    groups_ = std::move(groups);
  }

  /// Reduces the channels of each position, or positions that follow each other.
  void reduce(Layer& layer) const {
    const bool of_channels = !groups_.empty() && groups_.back().reduced;
    const std::int64_t channels = of_channels ? elements_of_result()
                                  : elements_of_result() == 1
                                      ? image_of(input()).channels / image_of(input()).element_bytes
                                      : groups_.back().size;
    const auto row = of_channels ? std::optional(channels) : std::nullopt;
    compiler::KernelCall call = is_wide() ? wide_call(row) : byte_call(row);
    layer.kind = KernelLayer{std::move(call)};
    layer.input_images = {image_with(input(), channels)};
    layer.output_image = image_with(output(), of_channels ? 1 : channels);
  }

  /// A kernel of the channels of each position, of which there are so many, or of positions.
  compiler::KernelCall byte_call(std::optional<std::int64_t> channels) const {
    const QuantParam scale = is_extreme() ? QuantParam{} : requantize().scale[0];
    compiler::KernelCall call = channels ? byte_channels(*channels, reduce_.kind, scale.shift)
                                         : compiler::fold_call(byte_fold(reduce_.kind, scale.shift));
    call.by_block = call.turns = !channels;
    if (!is_extreme()) {
      call.values = {{"offset", -quantization(input()).zero_point * elements_of_result()},
                     {"multiplier", scale.multiplier},
                     {"zero_point", requantize().zero_point}};
    }
    return call;
  }

  compiler::KernelCall wide_call(std::optional<std::int64_t> channels) const {
    const QuantParam scale = is_extreme() ? QuantParam{} : requantize().scale[0];
    const int left = std::max(0, scale.shift), right = std::max(0, -scale.shift);
    compiler::KernelCall call = channels ? wide_channels(*channels, reduce_.kind, left, right)
                                         : compiler::fold_call(wide_fold(reduce_.kind, left, right));
    call.by_block = !channels;
    call.values = {{"least", std::numeric_limits<std::int16_t>::min()},
                   {"greatest", std::numeric_limits<std::int16_t>::max()}};
    if (!is_extreme()) {
      call.values["multiplier"] = scale.multiplier;
    }
    return call;
  }

  const Graph& graph_;
  const Operator& op_;
  const Reduce& reduce_;
  std::vector<Group> groups_;
  std::vector<Layer> layers_;
};

}  // namespace

std::vector<Layer> lower_reduction(const Graph& graph, const Operator& op, const Reduce& reduce) {
  return Lowering(graph, op, reduce).run();
}

std::vector<Layer> lower_arg_extreme(const Graph& graph, const Operator& op, const graph::ArgExtreme& extreme) {
  constexpr std::int64_t kMostPlaces = 1 << 23;  // an element and its place are one number of 32 bits
  const Tensor& input = graph.tensor(op.inputs[0]);
  const Tensor& output = graph.tensor(op.outputs[0]);
  const bool floats = input.type == ElementType::kFloat32 && op.arithmetic == graph::Arithmetic::kOnnx;
  if (!floats) {
    require_type(input, {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
  }
  require(!input.constant, "a constant operand");
  require(!input.quantization || !input.quantization->per_channel(), "a tensor without a single scale");
  const std::size_t axis = graph::axis_of(extreme.axis, input.shape.size());
  const std::int64_t length = input.shape[axis], after = elements_after(input.shape, axis);
  require(length <= kMostPlaces, "the index of an extreme among more than 2^23 elements");

  const bool of_channels = after == 1 && !floats;
  compiler::KernelCall call{floats ? "float_extreme_row" : of_channels ? "extreme_channel" : "extreme_row"};
  call.by_block = !of_channels;
  if (floats) {
    call.values = {{"last", extreme.last ? 1 : 0}, {"direction", extreme.largest ? 0 : -1}};
  } else {
    call.values = {{"factor", extreme.largest ? kMostPlaces : -kMostPlaces},
                   {"first", extreme.last ? 0 : length - 1},
                   {"step", extreme.last ? 1 : -1}};
  }
  Layer layer;
  layer.name = op.name;
  layer.kind = KernelLayer{std::move(call)};
  layer.inputs = op.inputs;
  layer.output = op.outputs[0];
  layer.input_images = {image_with(input, of_channels ? length : after)};
  Tensor words = output;
  words.type = ElementType::kInt32;
  layer.output_image = image_with(words, after);
  if (output.type == ElementType::kInt32) {
    return {std::move(layer)};
  }
  layer.output = between_layers(op.outputs[0], 0);
  Layer longer = widened(layer, image_with(output, after));
  longer.output = op.outputs[0];
  return {std::move(layer), std::move(longer)};
}

Layer lower_cumulative_sum(const Graph& graph, const Operator& op, const graph::CumulativeSum& sum) {
  const Tensor& input = graph.tensor(op.inputs[0]);
  const Tensor& output = graph.tensor(op.outputs[0]);
  const golden::UniformQuantization from = quantization(input), to = quantization(output);
  require(!input.constant, "a constant operand");
  require(op.arithmetic == graph::Arithmetic::kTfLite, "a cumulative sum in ONNX arithmetic");
  const QuantParam scale = golden::cumulative_sum_scale(from, to);
  require(is_valid(scale), "a scale that no multiplier can represent");

  const std::size_t axis = graph::axis_of(sum.axis, input.shape.size());
  const std::int64_t channels = elements_after(input.shape, axis);
  compiler::KernelCall call{"cumulative_sum"};
  call.items = graph::count(input.shape) / (input.shape[axis] * channels);
  call.by_block = true;
  call.values = {{"reverse", sum.reverse ? 1 : 0},
                 {"multiplier", scale.multiplier},
                 {"packed", (to.zero_point * 256 + from.zero_point + 128) * 256 + (scale.shift + 32) * 2 +
                                (sum.exclusive ? 1 : 0)}};
  Layer layer;
  layer.name = op.name;
  layer.kind = KernelLayer{std::move(call)};
  layer.inputs = op.inputs;
  layer.output = op.outputs[0];
  layer.input_images = {image_with(input, channels)};
  layer.output_image = image_with(output, channels);
  return layer;
}

}  // namespace systole::network
