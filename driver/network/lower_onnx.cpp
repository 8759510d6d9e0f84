// SPDX-License-Identifier: Apache-2.0
#include "network/lower_onnx.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "golden/scales.hpp"
#include "graph/types.hpp"
#include "network/bytes.hpp"
#include "network/exact_pairs.hpp"
#include "network/product.hpp"
#include "network/refused.hpp"
#include "systole/execute.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;

/// A zero point as of int8.
int as_int8(const Tensor& tensor, std::int32_t zero_point) { return tensor.type == ElementType::kUint8 ? zero_point - 128 : zero_point; }

int zero_point_of(const Tensor& tensor) {
  require(!tensor.quantization || !tensor.quantization->per_channel(), "a scale per channel of an activation");
  return as_int8(tensor, tensor.quantization ? tensor.quantization->zero_point[0] : 0);
}

std::vector<std::int8_t> constant_bytes(const Tensor& tensor) {
  std::vector<std::int8_t> bytes(tensor.constant->size());
  const std::uint8_t toggle = toggle_of(tensor.type);
  std::transform(tensor.constant->begin(), tensor.constant->end(), bytes.begin(),
                 [toggle](std::uint8_t byte) { return static_cast<std::int8_t>(byte ^ toggle); });
  return bytes;
}

/// As the device stores it: numbers of four bytes are four channels.
Image stored(const Tensor& tensor) {
  Image image = image_of(tensor);
  image.channels *= static_cast<int>(graph::element_size(tensor.type));
  return image;
}

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {}

  Layer run() {
    require(op_.outputs.size() == 1, "several results");
    layer_.name = op_.name;
    layer_.output = op_.outputs[0];
    layer_.output_image = stored(output());
    layer_.macs = graph::useful_macs(graph_, op_);
    std::visit(*this, op_.kind);
    for (const graph::TensorId id : layer_.inputs) {
      layer_.input_images.push_back(stored(graph_.tensor(id)));
    }
    if (std::holds_alternative<graph::Dense>(op_.kind)) {  // rows are the pixels of one image row
      for (Image* image : {&layer_.input_images[0], &layer_.output_image}) {
        *image = {1, 1, image->batch * image->height * image->width, image->channels};
      }
    }
    return std::move(layer_);
  }

  void operator()(const graph::Conv2d& op) {
    ConvLayer conv;
    conv.options.sliding = op.sliding;
    conv.options.groups = op.groups;
    for (const int size : {op.sliding.kernel_h, op.sliding.kernel_w, op.sliding.stride_h, op.sliding.stride_w, op.sliding.dilation_h, op.sliding.dilation_w}) {
      require(size <= 255, "a kernel, stride or dilation above 255");
    }
    weighted(std::move(conv), op.activation, op.sliding.kernel_h * op.sliding.kernel_w);
  }
  void operator()(const graph::Dense& op) { weighted({}, op.activation, 1); }

  void operator()(const graph::MatMul& op) {
    require_type(input(0), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    require_type(input(1), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    ProductLayer product = product_of(graph_, op_, op);
    product.a_zero_point = zero_point_of(input(0));
    product.b_zero_point = zero_point_of(input(1));
    product.raw = output().type == ElementType::kInt32;
    require(!product.raw || product.bias.empty(), "a bias of sums");
    if (!product.raw) {
      product.requantize = requantize(graph::Activation::kNone);
      require(product.requantize.scale.size() == 1, "a scale per column of a computed operand");
    }
    layer_.inputs = {op_.inputs[0], op_.inputs[1]};
    layer_.kind = std::move(product);
  }

  void operator()(const graph::Pool& op) {
    require_type(input(0), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    require(op.activation == graph::Activation::kNone, "an activation by ONNX's rules");
    layer_.inputs = {op_.inputs[0]};
    if (op.kind == graph::PoolKind::kMax) {
      layer_.kind = MaxPoolLayer{op.sliding};
    } else {
      layer_.kind = average(op);
    }
  }

  void operator()(const graph::Reshape&) {
    require_type(output(), {ElementType::kInt8, ElementType::kUint8, ElementType::kInt32}, "8 bits or sums of int32");
    require(!input(0).constant, "a constant operand");
    layer_.inputs = {op_.inputs[0]};
    layer_.kind = ReshapeLayer{};
  }

  void operator()(const graph::Binary& op) {
    require(op.kind == graph::BinaryKind::kAdd || op.kind == graph::BinaryKind::kMultiply, "the device adds and multiplies only");
    require_type(input(0), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    require_type(input(1), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    require_type(output(), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    require(input(0).shape == input(1).shape, "operands of different shapes");
    require(!input(0).constant && !input(1).constant, "a constant operand");
    require(input(0).quantization && input(1).quantization && output().quantization, "sums and products of numbers without a scale");
    const auto quantization = [](const Tensor& tensor) { return golden::Quantization{tensor.quantization->scale[0], zero_point_of(tensor)}; };
    const PairQuantization pair{quantization(input(0)), quantization(input(1)), quantization(output())};
    layer_.inputs = op_.inputs;
    if (op.kind == graph::BinaryKind::kAdd) {
      const auto params = find_addition(all_pairs(), pair);
      require(params.has_value(), "sums that no scales of the device give for all pairs of bytes");
      layer_.kind = AddLayer{*params};
    } else {
      const auto params = find_multiplication(all_pairs(), pair);
      require(params.has_value(), "products that no scale of the device gives for all pairs of bytes");
      layer_.kind = MultiplyLayer{*params};
    }
  }

  template <class Other>
  void operator()(const Other&) {
    if (std::holds_alternative<graph::Unary>(op_.kind) || std::holds_alternative<graph::Convert>(op_.kind)) {  // a table, if of bytes
      require_type(input(0), {ElementType::kInt8, ElementType::kUint8}, "8 bits");
      require_type(output(), {ElementType::kInt8, ElementType::kUint8}, "8 bits");
    }
    throw Refused(fmt::format("the device has no {} by ONNX's rules", graph::name_of(op_.kind)));
  }

 private:
  const Tensor& input(std::size_t i) const { return graph_.tensor(op_.inputs[i]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }

  /// Dequantized, averaged and quantized again in float32, a result is off by 3 x 255 x 2^-24 of a step at most, while the mean of n
  /// bytes, n being odd, is 1 / 2n from a tie or more: all roundings to the nearest agree.
  AveragePoolLayer average(const graph::Pool& op) const {
    constexpr int kMost = 1023;
    const Sliding& s = op.sliding;
    const std::int64_t elements = std::int64_t{s.kernel_h} * s.kernel_w;
    require(elements % 2 == 1 && elements <= kMost, "an average of an even number of elements, or of more than 1023, by ONNX's rules");
    require(op.count_padding || s.pad_top + s.pad_bottom + s.pad_left + s.pad_right == 0, "averages of different numbers of elements by ONNX's rules");
    const auto& from = input(0).quantization;
    const auto& to = output().quantization;
    require(from && to && from->scale == to->scale && from->zero_point == to->zero_point, "an average without a scale, or of another one");
    return {s, op.count_padding, zero_point_of(output())};
  }

  void weighted(ConvLayer conv, graph::Activation activation, int taps) {
    const Tensor& weights = input(1);
    require_type(input(0), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    require_type(weights, {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    require(weights.constant != nullptr, "weights that are not constant");
    std::vector<int> zero_points;
    for (const std::int32_t point : weights.quantization ? weights.quantization->zero_point : std::vector<std::int32_t>{0}) {
      zero_points.push_back(as_int8(weights, point));
    }
    const int outputs = static_cast<int>(weights.shape[0]);
    const int depth = static_cast<int>(weights.shape.back());
    PlainWeights plain = without_zero_point(constant_bytes(weights), zero_points, outputs, taps, depth, conv.options.groups);
    conv.weights = std::move(plain.weights);
    conv.options.groups = plain.groups;
    conv.options.input_zero_point = zero_point_of(input(0));
    if (op_.inputs.size() > 2 && op_.inputs[2] != graph::kNoTensor) {
      require(input(2).constant && input(2).type == ElementType::kInt32, "a bias that is not constant int32");
      conv.bias = graph::elements<std::int32_t>(graph::constant_value(input(2)));
    }
    layer_.inputs = {op_.inputs[0]};
    if (output().type == ElementType::kInt32) {
      layer_.kind = RepeatedConvLayer{std::move(conv), plain.copies, true};
      return;
    }
    conv.requantize = requantize(activation);
    if (plain.copies == 1) {
      layer_.kind = std::move(conv);
    } else {
      layer_.kind = RepeatedConvLayer{std::move(conv), plain.copies, false};
    }
  }

  Requantize requantize(graph::Activation activation) const {
    require(graph::is_byte(output().type) && output().quantization && input(0).quantization && input(1).quantization, "a result without a scale");
    const golden::Quantization to{output().quantization->scale[0], zero_point_of(output())};
    Requantize requantize;
    requantize.scale = golden::float_scales(input(0).quantization->scale[0], input(1).quantization->scale, to.scale);
    requantize.zero_point = to.zero_point;
    requantize.rounding = Rounding::kEven;
    const auto same = activation == graph::Activation::kRelu    ? golden::Activation::kRelu
                      : activation == graph::Activation::kRelu6 ? golden::Activation::kRelu6
                      : activation == graph::Activation::kNone  ? golden::Activation::kNone
                                                                : golden::Activation::kReluN1To1;
    const golden::Clamp clamp = golden::activation_clamp(same, to);
    requantize.clamp_min = clamp.min;
    requantize.clamp_max = clamp.max;
    return requantize;
  }

  /// The host's result of every pair of bytes, all as int8.
  PairResults all_pairs() const {
    constexpr std::uint8_t kFirst = 0x80;  // the byte of -128, which is the first
    Graph all;
    all.tensors = {input(0), input(1), output()};
    std::array<graph::Value, 2> operands;
    for (std::size_t i = 0; i < 2; ++i) {
      operands[i] = {input(i).type, {256, 256}, graph::Bytes(65536)};
      const std::uint8_t toggle = toggle_of(input(i).type);
      for (std::size_t pair = 0; pair < operands[i].data.size(); ++pair) {
        operands[i].data[pair] = static_cast<std::uint8_t>((i == 0 ? pair / 256 : pair % 256) ^ kFirst ^ toggle);
      }
    }
    for (Tensor& tensor : all.tensors) {
      tensor.shape = {256, 256};
    }
    Operator of_pairs = op_;
    of_pairs.inputs = {0, 1};
    of_pairs.outputs = {2};
    const graph::Value results = graph::execute_operator(all, of_pairs, {&operands[0], &operands[1]}).front();
    PairResults pairs(results.data.size());
    const std::uint8_t toggle = toggle_of(output().type);
    std::transform(results.data.begin(), results.data.end(), pairs.begin(),
                   [toggle](std::uint8_t byte) { return static_cast<std::int8_t>(byte ^ toggle); });
    return pairs;
  }

  const Graph& graph_;
  const Operator& op_;
  Layer layer_;
};

}  // namespace

PlainWeights without_zero_point(const std::vector<std::int8_t>& weights, const std::vector<int>& zero_points, int outputs, int taps, int depth,
                                int groups) {
  if (std::all_of(zero_points.begin(), zero_points.end(), [](int point) { return point == 0; })) {
    return {1, groups, weights};
  }
  const auto row = static_cast<std::size_t>(taps) * static_cast<std::size_t>(depth);
  std::vector<int> differences(weights.size());
  int copies = 1;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const int value = weights[i] - zero_points[zero_points.size() == 1 ? 0 : i / row];
    differences[i] = value;
    copies = std::max(copies, value < 0 ? (-value + 127) / 128 : (value + 126) / 127);
  }
  // Dense over all groups: the copies of a group's channels do not lie side by side.
  const int dense_groups = copies == 1 ? groups : 1;
  const int of_group = outputs / groups;
  const int channels = copies == 1 ? depth : depth * groups;
  PlainWeights result{copies, dense_groups, {}};
  result.weights.assign(static_cast<std::size_t>(outputs) * static_cast<std::size_t>(taps) * static_cast<std::size_t>(channels * copies), 0);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const auto o = static_cast<int>(i / row);
    const auto tap = static_cast<int>(i / static_cast<std::size_t>(depth)) % taps;
    const int channel = static_cast<int>(i % static_cast<std::size_t>(depth)) + (copies == 1 ? 0 : o / of_group * depth);
    int left = differences[i];
    for (int copy = 0; copy < copies; ++copy) {
      const int part = std::clamp(left, -128, 127);
      left -= part;
      const std::size_t at = (static_cast<std::size_t>(o) * static_cast<std::size_t>(taps) + static_cast<std::size_t>(tap)) * static_cast<std::size_t>(copies) + static_cast<std::size_t>(copy);
      result.weights[at * static_cast<std::size_t>(channels) + static_cast<std::size_t>(channel)] = static_cast<std::int8_t>(part);
    }
  }
  return result;
}

std::variant<Layer, OnHost> lower_onnx(const Graph& graph, const Operator& op) {
  try {
    return Lowering(graph, op).run();
  } catch (const Refused& refused) {
    return OnHost{refused.reason()};
  } catch (const std::invalid_argument& error) {  // a scale that no multiplier stands for
    return OnHost{error.what()};
  }
}

}  // namespace systole::network
