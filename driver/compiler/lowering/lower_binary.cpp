// SPDX-License-Identifier: Apache-2.0
#include "lower_binary.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "bytes.hpp"
#include "constant_weights.hpp"
#include "exact_pairs.hpp"
#include "indices.hpp"
#include "lower_operator.hpp"
#include "quantized_values.hpp"
#include "refused.hpp"
#include "scales.hpp"
#include "systole/execute.hpp"
#include "type_checks.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::Graph;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;

constexpr std::int64_t kMostConstant = 1 << 24;  // bytes of an operand broadcast to the shape of the result

bool is_pixel(const Image& operand, const Image& result) {
  return operand.batch == 1 && operand.height == 1 && operand.width == 1 && operand.channels == result.channels;
}

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op)
      : graph_(graph), op_(op), kind_(std::get<graph::Binary>(op.kind).kind) {}

  std::vector<Layer> run() {
    require(kind_ == BinaryKind::kAdd || kind_ == BinaryKind::kSubtract || kind_ == BinaryKind::kMultiply,
            "the device only adds, subtracts and multiplies");
    for (const Tensor* tensor : {&input(0), &input(1), &output()}) {
      require_type(*tensor, {graph::ElementType::kInt8, graph::ElementType::kUint8}, "int8 or uint8");
      require(tensor->quantization && !tensor->quantization->per_channel(), "a tensor without a single scale");
    }
    choose_first();
    result_.name = op_.name;
    result_.output = op_.outputs[0];
    result_.output_image = image_of(output());
    take(first_, result_.output_image);
    if (kind_ == BinaryKind::kMultiply && op_.arithmetic == graph::Arithmetic::kTfLite && input(1 - first_).constant &&
        is_pixel(image_of(input(1 - first_)), result_.output_image) && result_.output_image.channels > 1) {
      result_.kind = scaled_channels();
      return {std::move(result_)};
    }
    std::optional<ConstantOperand> constant = second_operand();
    if (kind_ == BinaryKind::kMultiply) {
      result_.kind = MultiplyLayer{multiplication(), std::move(constant)};
    } else {
      result_.kind = AddLayer{addition(), std::move(constant)};
    }
    layers_.push_back(std::move(result_));
    return std::move(layers_);
  }

 private:
  const Tensor& input(std::size_t i) const { return graph_.tensor(op_.inputs[i]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }
  const Tensor& second() const { return input(1 - first_); }

  /// The device only adds: a subtrahend is added as its complement, whose zero point is -1 - zero point.
  bool complemented(std::size_t operand) const { return kind_ == BinaryKind::kSubtract && operand == 1; }

  /// The first operand of the instruction must be computed and have the result's shape; the second may be anything that
  /// can be broadcast.
  void choose_first() {
    const auto whole = [&](std::size_t i) { return !input(i).constant && input(i).shape == output().shape; };
    require(whole(0) || whole(1), "no computed operand of the result's shape");
    first_ = whole(0) ? 0 : 1;
  }

  /// Makes a constant part of the layer, or a computed operand an input of it.
  std::optional<ConstantOperand> second_operand() {
    const Image image = image_of(second());
    const bool pixel = is_pixel(image, result_.output_image);
    const std::uint8_t flip = complemented(1 - first_) ? 0xFF : 0;
    if (!second().constant) {
      require(pixel || second().shape == output().shape,
              "an operand broadcast along other dimensions than height and width");
      take(1 - first_, image);
      return std::nullopt;
    }
    graph::Value value = graph::constant_value(second());
    if (!pixel && second().shape != output().shape) {
      require(graph::count(output().shape) <= kMostConstant,
              "a constant operand of more than 16 MiB after broadcasting");
      value = graph::broadcast_to(value, output().shape);
    }
    const std::uint8_t bits = toggle_of(value.type) ^ flip;
    std::transform(value.data.begin(), value.data.end(), value.data.begin(),
                   [bits](std::uint8_t byte) { return byte ^ bits; });
    return ConstantOperand{std::move(value.data), pixel ? image : result_.output_image};
  }

  /// Adds a computed operand as an input.
  void take(std::size_t operand, const Image& image) {
    TensorId id = op_.inputs[operand];
    if (complemented(operand)) {
      Layer layer;
      layer.name = op_.name + "/complement";
      layer.inputs = {id};
      layer.output = id = between_layers(op_.outputs[0]);
      layer.input_images = {image};
      layer.output_image = image;
      TableLayer table;
      for (std::size_t byte = 0; byte < table.table.size(); ++byte) {
        table.table[byte] = static_cast<std::int8_t>(~byte);
      }
      layer.kind = table;
      layers_.push_back(std::move(layer));
    }
    result_.inputs.push_back(id);
    result_.input_images.push_back(image);
  }

  golden::Clamp clamp() const { return graph::clamp_of(std::get<graph::Binary>(op_.kind).activation, output()); }
  golden::UniformQuantization quantization(std::size_t operand) const { return graph::quantization_of(input(operand)); }

  /// A per-channel factor is a weight: the depthwise unit with requantization computes TensorFlow Lite's product.
  ConvLayer scaled_channels() const {
    const golden::UniformQuantization a = quantization(first_), b = quantization(1 - first_),
                                      to = graph::quantization_of(output());
    const MultiplyParams product = golden::multiply_params(quantization(0), quantization(1), to, clamp());
    std::vector<int> factors;
    for (const std::int8_t byte : constant_bytes(second())) {
      factors.push_back(byte - b.zero_point);
    }
    ConvLayer conv;
    conv.options.groups = result_.output_image.channels;
    conv.options.input_zero_point = a.zero_point;
    set_weights(conv, factors);
    conv.requantize = {{product.output_scale}, to.zero_point, product.clamp_min, product.clamp_max, product.rounding};
    return conv;
  }

  MultiplyParams multiplication() const {
    const golden::UniformQuantization a = quantization(first_), b = quantization(1 - first_),
                                      to = graph::quantization_of(output());
    if (op_.arithmetic == graph::Arithmetic::kTfLite) {
      MultiplyParams params = golden::multiply_params(quantization(0), quantization(1), to, clamp());
      params.lhs_zero_point = a.zero_point;
      params.rhs_zero_point = b.zero_point;
      return params;
    }
    const auto params = find_multiplication(all_pairs(), {a, b, to});
    require(params.has_value(), "no scale of the device gives the right product for all pairs of bytes");
    return *params;
  }

  AddParams addition() const {
    const golden::UniformQuantization to = graph::quantization_of(output());
    const auto operand = [&](std::size_t i) {
      const golden::UniformQuantization q = quantization(i);
      return golden::UniformQuantization{q.scale, complemented(i) ? -1 - q.zero_point : q.zero_point};
    };
    const golden::UniformQuantization a = operand(first_), b = operand(1 - first_);
    if (op_.arithmetic == graph::Arithmetic::kTfLite) {
      const AddParams params = kind_ == BinaryKind::kAdd ? golden::add_params(a, b, to, clamp())
                                                         : golden::subtract_params(a, b, to, clamp());
      if (kind_ == BinaryKind::kAdd || adds(params, all_pairs())) {  // the complement rounds ties the other way
        return params;
      }
    }
    const auto params = find_addition(all_pairs(), {a, b, to});
    require(params.has_value(), "no scales of the device give the right sum for all pairs of bytes");
    return *params;
  }

  /// The host's result for every pair of bytes, in the representation of the instruction's operands and result.
  PairResults all_pairs() const {
    constexpr std::uint8_t kFirst = 0x80;  // the byte of -128, the first value
    Graph all;
    all.tensors = {input(0), input(1), output()};
    std::array<graph::Value, 2> operands;
    for (std::size_t i = 0; i < 2; ++i) {
      operands[i] = {input(i).type, {256, 256}, graph::Bytes(65536)};
      const std::uint8_t bits = toggle_of(input(i).type) ^ kFirst ^ (complemented(i) ? 0xFF : 0);
      for (std::size_t pair = 0; pair < operands[i].data.size(); ++pair) {
        operands[i].data[pair] = static_cast<std::uint8_t>((i == first_ ? pair / 256 : pair % 256) ^ bits);
      }
    }
    for (Tensor& tensor : all.tensors) {
      tensor.shape = {256, 256};
      tensor.constant = nullptr;
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
  const BinaryKind kind_;
  std::size_t first_ = 0;  // index of the operator's operand that is the instruction's first
  Layer result_;
  std::vector<Layer> layers_;
};

}  // namespace

std::vector<Layer> lower_binary(const Graph& graph, const Operator& op) { return Lowering(graph, op).run(); }

}  // namespace systole::network
