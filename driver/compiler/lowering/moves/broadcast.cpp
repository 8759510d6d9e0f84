// SPDX-License-Identifier: Apache-2.0
#include "broadcast.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "bytes.hpp"
#include "indices.hpp"
#include "quantized_types.hpp"
#include "quantized_values.hpp"
#include "refused.hpp"
#include "systole/execute.hpp"

namespace systole::network {
namespace {

using compiler::ByteBox;
using graph::Shape;

constexpr std::int64_t kMostConstant = 1 << 24;  // bytes of a constant broadcast to the shape of the result
constexpr std::size_t kMostBoxes = 4096;         // two instructions each

/// `size` steps through both tensors; a stride of 0 repeats.
struct Axis {
  std::int64_t size, from, to;  ///< strides in bytes
  bool repeated() const { return from == 0; }
};

/// Axes longer than 1, from the first to the last; adjacent ones of a kind are one.
std::vector<Axis> axes_of(const Shape& from, const Shape& to) {
  std::vector<Axis> axes;  // from the last to the first
  std::int64_t from_stride = 1, to_stride = 1;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::int64_t own = i < from.size() ? from[from.size() - 1 - i] : 1;
    const std::int64_t size = to[to.size() - 1 - i];
    const Axis axis{size, own == size ? from_stride : 0, to_stride};
    from_stride *= own;
    to_stride *= size;
    if (size == 1) {
      continue;
    }
    if (!axes.empty() && axes.back().repeated() == axis.repeated()) {
      axes.back().size *= size;
    } else {
      axes.push_back(axis);
    }
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

/// A channel repeated `channels` times: a convolution with weights of 1. It keeps the zero point, so that a sum with
/// another tensor can be fused.
ConvLayer repeated_channel(const graph::Tensor& tensor, int channels) {
  const bool uniform = tensor.quantization && !tensor.quantization->per_channel();
  ConvLayer conv;
  conv.options.input_zero_point = conv.requantize.zero_point = uniform ? graph::zero_point_of(tensor) : 0;
  conv.weights = std::make_shared<const graph::Bytes>(static_cast<std::size_t>(channels), std::uint8_t{1});
  conv.requantize.scale = {QuantParam{1 << 30, 1}};
  return conv;
}

/// Adds layers that broadcast the operand to `shape`; returns the tensor that the last of them computes.
graph::TensorId broadcast(const graph::Graph& graph, const graph::Operator& op, std::size_t operand, const Shape& shape,
                          std::vector<Layer>& layers) {
  constexpr std::int64_t kLeastChannels = 8;  // a move takes about as many cycles as bytes
  const graph::TensorId result = op.outputs[0];
  graph::Tensor from = graph.tensor(op.inputs[operand]);
  graph::TensorId id = op.inputs[operand];
  const auto add = [&](const char* what, int number, LayerKind kind, const Shape& to) {
    Layer layer;
    layer.name = fmt::format("{}/{}{}", op.name, what, operand);
    layer.kind = std::move(kind);
    layer.inputs = {id};
    layer.input_images = {image_of(from)};
    from.shape = to;
    layer.output = id = between_layers(result, 2 * static_cast<int>(operand) + number);
    layer.output_image = image_of(from);
    layers.push_back(std::move(layer));
  };
  if (graph::is_byte(from.type) && (from.shape.empty() || from.shape.back() == 1) && shape.back() >= kLeastChannels) {
    Shape wide = from.shape.empty() ? Shape{1} : from.shape;
    wide.back() = shape.back();
    add("channels", 0, repeated_channel(graph.tensor(op.inputs[operand]), static_cast<int>(shape.back())), wide);
  }
  if (graph::count(from.shape) != graph::count(shape)) {
    MoveLayer moves;
    for (const ByteBox& box :
         broadcast_boxes(from.shape, shape, static_cast<std::int64_t>(graph::element_size(from.type)))) {
      moves.parts.push_back({0, -1, box});
    }
    add("positions", 1, std::move(moves), shape);
  }
  return id;
}

}  // namespace

std::vector<ByteBox> broadcast_boxes(Shape from, Shape to, std::int64_t element_bytes) {
  from.push_back(element_bytes);
  to.push_back(element_bytes);
  std::vector<Axis> axes = axes_of(from, to);
  ByteBox box;
  const auto take_last = [&] {
    const Axis axis = axes.back();
    axes.pop_back();
    return axis;
  };
  if (!axes.empty() && !axes.back().repeated()) {
    box.bytes = take_last().size;
  }
  if (!axes.empty()) {
    const Axis inner = take_last();
    box.inner = inner.size;
    box.from_inner = inner.from;
    box.to_inner = inner.to;
  }
  if (!axes.empty()) {
    const auto longest =
        std::max_element(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.size < b.size; });
    box.outer = longest->size;
    box.from_outer = longest->from;
    box.to_outer = longest->to;
    axes.erase(longest);
  }
  std::vector<ByteBox> boxes = {box};
  for (const Axis& axis : axes) {
    std::vector<ByteBox> more;
    for (std::int64_t i = 0; i < axis.size; ++i) {
      std::transform(boxes.begin(), boxes.end(), std::back_inserter(more), [&](ByteBox one) {
        one.from += i * axis.from;
        one.to += i * axis.to;
        return one;
      });
      require(more.size() <= kMostBoxes, "an operand broadcast along so many axes that it takes over 4096 moves");
    }
    boxes = std::move(more);
  }
  return boxes;
}

bool is_position(const Shape& shape, const Shape& result) {
  return !shape.empty() && !result.empty() && shape.back() == result.back() && graph::count(shape) == shape.back();
}

ComputedOperand computed_operand(const graph::Graph& graph, const graph::Operator& op, std::size_t operand,
                                 bool may_repeat, std::vector<Layer>& layers) {
  const graph::Tensor& tensor = graph.tensor(op.inputs[operand]);
  graph::Tensor wide = tensor;
  wide.shape = graph.tensor(op.outputs[0]).shape;
  const std::int64_t elements = graph::count(tensor.shape);
  if (elements == graph::count(wide.shape)) {
    return {op.inputs[operand], image_of(wide)};
  }
  if (may_repeat && elements == (tensor.shape.empty() ? 1 : tensor.shape.back())) {
    wide.shape = {wide.shape.back()};
  }
  const bool as_it_is = elements == graph::count(wide.shape);
  return {as_it_is ? op.inputs[operand] : broadcast(graph, op, operand, wide.shape, layers), image_of(wide)};
}

ConstantOperand constant_operand(const graph::Tensor& tensor, const Shape& result, bool may_repeat) {
  graph::Value value = graph::constant_value(tensor);
  const bool position = may_repeat && is_position(tensor.shape, result);
  if (!position) {
    require(graph::count(result) <= kMostConstant, "a constant operand of more than 16 MiB after broadcasting");
    value = graph::broadcast_to(value, result);
  }
  toggle(value.type, value.data);
  graph::Tensor operand = tensor;
  operand.shape = position ? Shape{result.back()} : result;
  return {std::move(value.data), image_of(operand)};
}

}  // namespace systole::network
