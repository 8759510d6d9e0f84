// SPDX-License-Identifier: Apache-2.0
#include "network/lower.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "golden/scales.hpp"
#include "network/lower_moves.hpp"
#include "network/lower_onnx.hpp"
#include "network/moves.hpp"
#include "network/product.hpp"
#include "network/refused.hpp"
#include "network/table.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;

golden::Quantization quantization(const Tensor& tensor) {
  require_type(tensor, {ElementType::kInt8}, "int8");
  require(tensor.quantization.has_value() && !tensor.quantization->per_channel(), "a tensor without a scale of its own");
  return {tensor.quantization->scale[0], tensor.quantization->zero_point[0]};
}

golden::Activation activation(graph::Activation a) {
  switch (a) {
    case graph::Activation::kNone: return golden::Activation::kNone;
    case graph::Activation::kRelu: return golden::Activation::kRelu;
    case graph::Activation::kRelu6: return golden::Activation::kRelu6;
    case graph::Activation::kReluN1To1: return golden::Activation::kReluN1To1;
  }
  return golden::Activation::kNone;
}

template <class Element>
std::vector<Element> constant(const Tensor& tensor) {
  std::vector<Element> values(tensor.constant->size() / sizeof(Element));
  std::memcpy(values.data(), tensor.constant->data(), values.size() * sizeof(Element));
  return values;
}

AddParams add_params(const Tensor& lhs, const Tensor& rhs, const Tensor& output, graph::Activation act) {
  const golden::Quantization to = quantization(output);
  const golden::AddParams p =
      golden::add_params(quantization(lhs), quantization(rhs), to, golden::activation_clamp(activation(act), to));
  return {p.lhs_zero_point, p.rhs_zero_point, p.output_zero_point, p.lhs_scale,  p.rhs_scale,
          p.output_scale,   p.clamp.min,      p.clamp.max,         p.rounding};
}

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {}

  Layer run() {
    layer_.name = op_.name;
    require(op_.outputs.size() == 1, "several results");
    layer_.output = op_.outputs[0];
    layer_.output_image = image_of(output());
    layer_.macs = graph::useful_macs(graph_, op_);
    std::visit(*this, op_.kind);
    for (const graph::TensorId id : layer_.inputs) {
      layer_.input_images.push_back(image_of(graph_.tensor(id)));
    }
    adjust_images();
    return std::move(layer_);
  }

  void operator()(const graph::Conv2d& op) {
    ConvLayer conv;
    conv.options.sliding = op.sliding;
    conv.options.groups = op.groups;
    const golden::Quantization from = quantization(input(0));
    const golden::Quantization to = quantization(output());
    conv.requantize.scale = golden::convolution_scales(from.scale, weight_scales(input(1)), to.scale);
    finish(std::move(conv), from, to, op.activation);
  }

  void operator()(const graph::Dense& op) {
    ConvLayer conv;
    const golden::Quantization from = quantization(input(0));
    const golden::Quantization to = quantization(output());
    const std::vector<float> weights = weight_scales(input(1));
    if (weights.size() == 1) {
      conv.requantize.scale = {golden::dense_scale(from.scale, weights[0], to.scale)};
    } else {
      conv.requantize.scale = golden::convolution_scales(from.scale, weights, to.scale);
    }
    finish(std::move(conv), from, to, op.activation);
  }

  void operator()(const graph::MatMul& op) {
    const golden::Quantization a = quantization(input(0));
    const golden::Quantization b = quantization(input(1));
    const golden::Quantization to = quantization(output());
    ProductLayer product = product_of(graph_, op_, op);
    product.a_zero_point = a.zero_point;
    product.b_zero_point = b.zero_point;
    product.requantize.scale = {golden::dense_scale(a.scale, b.scale, to.scale)};
    product.requantize.zero_point = to.zero_point;
    layer_.inputs = {op_.inputs[0], op_.inputs[1]};
    layer_.kind = std::move(product);
  }

  void operator()(const graph::Pool& op) {
    require(quantization(input(0)).zero_point == quantization(output()).zero_point, "another zero point after the pool");
    const golden::Quantization to = quantization(output());
    const golden::Clamp clamp = golden::activation_clamp(activation(op.activation), to);
    layer_.inputs = {op_.inputs[0]};
    if (op.kind == graph::PoolKind::kMax) {
      layer_.kind = MaxPoolLayer{op.sliding, clamp.min, clamp.max};
    } else {
      require(std::int64_t{op.sliding.kernel_h} * op.sliding.kernel_w <= 4096, "a pool of more than 4096 elements");
      layer_.kind = AveragePoolLayer{op.sliding, op.count_padding, to.zero_point, clamp.min, clamp.max};
    }
  }

  void operator()(const graph::Binary& op) {
    require(op.kind == graph::BinaryKind::kAdd || op.kind == graph::BinaryKind::kMultiply, "the device adds and multiplies only");
    require(input(0).shape == input(1).shape, "operands of different shapes");
    require(!input(0).constant && !input(1).constant, "a constant operand");
    layer_.inputs = op_.inputs;
    if (op.kind == graph::BinaryKind::kAdd) {
      layer_.kind = AddLayer{add_params(input(0), input(1), output(), op.activation)};
      return;
    }
    const golden::Quantization to = quantization(output());
    const golden::MultiplyParams p = golden::multiply_params(quantization(input(0)), quantization(input(1)), to,
                                                             golden::activation_clamp(activation(op.activation), to));
    layer_.kind = MultiplyLayer{
        {p.lhs_zero_point, p.rhs_zero_point, p.output_zero_point, p.output_scale, p.clamp.min, p.clamp.max, p.rounding}};
  }

  void operator()(const graph::Unary&) { table(); }
  void operator()(const graph::Convert&) { table(); }

  void operator()(const graph::Reshape&) {
    quantization(output());
    layer_.inputs = {op_.inputs[0]};
    layer_.kind = ReshapeLayer{};
  }

  template <class Other>
  void operator()(const Other&) {
    throw Refused(fmt::format("the device has no {}", graph::name_of(op_.kind)));
  }

 private:
  const Tensor& input(std::size_t i) const { return graph_.tensor(op_.inputs[i]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }

  /// A function of each element that no table of bytes is.
  [[noreturn]] void table() const {
    require_type(input(0), {ElementType::kInt8, ElementType::kUint8}, "8 bits");
    require_type(output(), {ElementType::kInt8, ElementType::kUint8}, "8 bits");
    throw Refused("scales per channel of an activation");
  }

  static std::vector<float> weight_scales(const Tensor& weights) {
    require(weights.constant != nullptr, "weights that are not constant");
    require_type(weights, {ElementType::kInt8}, "int8");
    require(weights.quantization.has_value(), "weights without a scale");
    const auto& zeros = weights.quantization->zero_point;
    require(std::all_of(zeros.begin(), zeros.end(), [](std::int32_t z) { return z == 0; }), "weights with a zero point");
    return weights.quantization->scale;
  }

  void finish(ConvLayer conv, const golden::Quantization& from, const golden::Quantization& to, graph::Activation act) {
    conv.weights = constant<std::int8_t>(input(1));
    if (op_.inputs.size() > 2 && op_.inputs[2] != graph::kNoTensor) {
      require(input(2).constant != nullptr && input(2).type == ElementType::kInt32, "a bias that is not constant int32");
      conv.bias = constant<std::int32_t>(input(2));
    }
    conv.options.input_zero_point = from.zero_point;
    const golden::Clamp clamp = golden::activation_clamp(activation(act), to);
    conv.requantize.zero_point = to.zero_point;
    conv.requantize.clamp_min = clamp.min;
    conv.requantize.clamp_max = clamp.max;
    const auto& s = conv.options.sliding;
    for (const int size : {s.kernel_h, s.kernel_w, s.stride_h, s.stride_w, s.dilation_h, s.dilation_w}) {
      require(size <= 255, "a kernel, stride or dilation above 255");
    }
    layer_.inputs = {op_.inputs[0]};
    layer_.kind = std::move(conv);
  }

  /// A fully connected layer's rows are the pixels of one image row; what is done to each element needs no shape.
  void adjust_images() {
    if (std::holds_alternative<graph::Dense>(op_.kind)) {
      Image& in = layer_.input_images[0];
      in = {1, 1, in.batch * in.height * in.width, in.channels};
      Image& out = layer_.output_image;
      out = {1, 1, out.batch * out.height * out.width, out.channels};
    }
  }

  const Graph& graph_;
  const Operator& op_;
  Layer layer_;
};

}  // namespace

Image image_of(const Tensor& tensor) {
  const graph::Shape& shape = tensor.shape;
  if (graph::count(shape) > std::numeric_limits<std::int32_t>::max()) {
    throw graph::GraphError(fmt::format("tensor '{}' ({}): the device takes at most 2^31 - 1 elements", tensor.name,
                                        graph::to_string(shape)));
  }
  std::array<int, 4> sizes{1, 1, 1, 1};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t from_behind = shape.size() - 1 - i;
    sizes[from_behind < 4 ? 3 - from_behind : 0] *= static_cast<int>(shape[i]);
  }
  return {sizes[0], sizes[1], sizes[2], sizes[3]};
}

namespace {

std::variant<Layer, OnHost> lower_tflite(const Graph& graph, const Operator& op) {
  try {
    return Lowering(graph, op).run();
  } catch (const Refused& refused) {
    return OnHost{refused.reason()};
  } catch (const std::invalid_argument& error) {  // a bias or a scale that the device does not have
    return OnHost{error.what()};
  }
}

/// A result that depends on one byte is looked up, whatever the rules.
Layer lower_table(const Graph& graph, const Operator& op) {
  Layer layer;
  layer.name = op.name;
  layer.inputs = {computed_input(graph, op)};
  layer.input_images = {image_of(graph.tensor(layer.inputs[0]))};
  layer.output = op.outputs[0];
  layer.output_image = image_of(graph.tensor(layer.output));
  layer.kind = TableLayer{table_of(graph, op)};
  return layer;
}

}  // namespace

std::variant<std::vector<Layer>, OnHost> lower(const Graph& graph, const Operator& op) {
  if (only_moves(graph, op)) {
    return lower_moves(graph, op);
  }
  if (is_bytewise(graph, op)) {
    return std::vector<Layer>{lower_table(graph, op)};
  }
  auto lowered = op.arithmetic == graph::Arithmetic::kOnnx ? lower_onnx(graph, op) : lower_tflite(graph, op);
  if (auto* layer = std::get_if<Layer>(&lowered)) {
    return std::vector<Layer>{std::move(*layer)};
  }
  return std::get<OnHost>(std::move(lowered));
}

}  // namespace systole::network
