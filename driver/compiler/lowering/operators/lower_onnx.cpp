// SPDX-License-Identifier: Apache-2.0
#include "lower_onnx.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "bytes.hpp"
#include "constant_weights.hpp"
#include "lower_product.hpp"
#include "quantized_types.hpp"
#include "refused.hpp"
#include "scales.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;

int zero_point_of(const Tensor& tensor) {
  require(!tensor.quantization || !tensor.quantization->per_channel(), "an activation with per-channel scales");
  return as_int8(tensor, tensor.quantization ? tensor.quantization->zero_point[0] : 0);
}

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {}

  Layer run() {
    require(op_.outputs.size() == 1, "several results");
    layer_.name = op_.name;
    layer_.output = op_.outputs[0];
    layer_.output_image = image_of(output());
    layer_.macs = graph::useful_macs(graph_, op_);
    std::visit(*this, op_.kind);
    for (const graph::TensorId id : layer_.inputs) {
      layer_.input_images.push_back(image_of(graph_.tensor(id)));
    }
    if (std::holds_alternative<graph::Dense>(op_.kind)) {  // rows are the pixels of one image row
      for (Image* image : {&layer_.input_images[0], &layer_.output_image}) {
        *image = {1, 1, image->batch * image->height * image->width, image->channels, image->element_bytes};
      }
    }
    return std::move(layer_);
  }

  void operator()(const graph::Conv2d& op) {
    ConvLayer conv;
    conv.options.window = op.window;
    conv.options.groups = op.groups;
    weighted(std::move(conv), op.activation);
  }
  void operator()(const graph::Dense& op) { weighted({}, op.activation); }

  void operator()(const graph::MatMul& op) {
    require_type(input(0), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    require_type(input(1), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    ProductLayer product = product_of(graph_, op_, op);
    product.a_zero_point = zero_point_of(input(0));
    product.b_zero_point = zero_point_of(input(1));
    product.raw = output().type == ElementType::kInt32;
    require(!product.raw || product.bias.empty(), "a bias of int32 results");
    if (!product.raw) {
      product.requantize = requantize(Activation::kNone);
      require(product.requantize.scale.size() == 1, "per-column scales of a computed operand");
    }
    layer_.inputs = {op_.inputs[0], op_.inputs[1]};
    layer_.kind = std::move(product);
  }

  void operator()(const graph::Pool& op) {
    require_type(input(0), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    require(op.activation == Activation::kNone, "a fused activation in ONNX arithmetic");
    layer_.inputs = {op_.inputs[0]};
    if (op.kind == graph::PoolKind::kMax) {
      layer_.kind = MaxPoolLayer{op.window};
    } else {
      layer_.kind = average(op);
    }
  }

  void operator()(const graph::Reshape&) {
    require(!input(0).constant, "a constant operand");
    layer_.inputs = {op_.inputs[0]};
    layer_.kind = ReshapeLayer{};
  }

  void operator()(const graph::Reinterpret&) {
    require(!input(0).constant, "a constant operand");
    require(toggle_of(input(0).type) == toggle_of(output().type), "bytes of which one kind is stored toggled");
    layer_.inputs = {op_.inputs[0]};
    layer_.kind = ReshapeLayer{};
  }

  template <class Other>
  void operator()(const Other&) {
    if (std::holds_alternative<graph::Unary>(op_.kind) ||
        std::holds_alternative<graph::Convert>(op_.kind)) {  // a table, if it is on bytes
      require_type(input(0), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
      require_type(output(), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    }
    throw Refused(fmt::format("the device has no {} in ONNX arithmetic", graph::name_of(op_.kind)));
  }

 private:
  const Tensor& input(std::size_t i) const { return graph_.tensor(op_.inputs[i]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }

  /// Dequantized, averaged and quantized again in float32, a result is off by at most 3 x 255 x 2^-24 of a step, while
  /// the mean of n bytes, for odd n, is at least 1 / 2n away from a tie: all round-to-nearest modes agree.
  AveragePoolLayer average(const graph::Pool& op) const {
    constexpr int kMost = 1023;
    const Window& s = op.window;
    const std::int64_t elements = std::int64_t{s.kernel_h} * s.kernel_w;
    require(elements % 2 == 1 && elements <= kMost,
            "an average of an even number of elements, or of more than 1023, in ONNX arithmetic");
    require(op.count_padding || s.pad_top + s.pad_bottom + s.pad_left + s.pad_right == 0,
            "averages of different numbers of elements in ONNX arithmetic");
    const auto& from = input(0).quantization;
    const auto& to = output().quantization;
    require(from && to && from->scale == to->scale && from->zero_point == to->zero_point,
            "an average without a quantization, or one that changes it");
    return {s, op.count_padding, zero_point_of(output())};
  }

  void weighted(ConvLayer conv, Activation activation) {
    require_type(input(0), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    conv.options.input_zero_point = zero_point_of(input(0));
    const bool sums = output().type == ElementType::kInt32;
    layer_.inputs = {op_.inputs[0]};
    layer_.kind =
        weighted_layer(graph_, op_, std::move(conv), sums ? std::nullopt : std::optional(requantize(activation)));
  }

  Requantize requantize(Activation activation) const {
    require(graph::is_byte(output().type) && output().quantization && input(0).quantization && input(1).quantization,
            "a result without a scale");
    const golden::UniformQuantization to{output().quantization->scale[0], zero_point_of(output())};
    Requantize requantize;
    requantize.scale = golden::float_scales(input(0).quantization->scale[0], input(1).quantization->scale, to.scale);
    requantize.zero_point = to.zero_point;
    requantize.rounding = Rounding::kEven;
    const auto same = activation == Activation::kRelu    ? Activation::kRelu
                      : activation == Activation::kRelu6 ? Activation::kRelu6
                      : activation == Activation::kNone  ? Activation::kNone
                                                         : Activation::kReluN1To1;
    const golden::Clamp clamp = golden::activation_clamp(same, to);
    requantize.clamp_min = clamp.min;
    requantize.clamp_max = clamp.max;
    return requantize;
  }

  const Graph& graph_;
  const Operator& op_;
  Layer layer_;
};

}  // namespace

Layer lower_onnx(const Graph& graph, const Operator& op) { return Lowering(graph, op).run(); }

}  // namespace systole::network
