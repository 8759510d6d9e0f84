// SPDX-License-Identifier: Apache-2.0
#include "lower_binary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "broadcast.hpp"
#include "constant_weights.hpp"
#include "exact_pairs.hpp"
#include "lower_elementwise.hpp"
#include "quantized_values.hpp"
#include "refused.hpp"
#include "scales.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::Graph;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;

constexpr int kComplement = 7;  // number of the intermediate result

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op)
      : graph_(graph), op_(op), kind_(std::get<graph::Binary>(op.kind).kind) {}

  std::vector<Layer> run() {
    for (const Tensor* tensor : {&input(0), &input(1), &output()}) {
      require_type(*tensor, {graph::ElementType::kInt8, graph::ElementType::kUint8}, "int8 or uint8");
      require(tensor->quantization && !tensor->quantization->per_channel(), "a tensor without a single scale");
    }
    widen_operands();
    result_.name = op_.name;
    result_.output = op_.outputs[0];
    result_.output_image = image_of(output());
    take(first_);
    if (kind_ == BinaryKind::kMultiply && op_.arithmetic == graph::Arithmetic::kTfLite && second().constant &&
        is_position(second().shape, output().shape) && result_.output_image.channels > 1) {
      result_.kind = scaled_channels();
    } else if (kind_ == BinaryKind::kMultiply) {
      std::optional<ConstantOperand> constant = second_operand();
      result_.kind = MultiplyLayer{multiplication(), std::move(constant)};
    } else if (const std::optional<AddParams> params = addition()) {
      std::optional<ConstantOperand> constant = second_operand();
      result_.kind = AddLayer{*params, std::move(constant)};
    } else {
      require(op_.arithmetic == graph::Arithmetic::kTfLite,
              "no scales of the device give the right sum for all pairs of bytes");
      return lower_elementwise(graph_, op_);
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

  /// The first operand of the instruction must be computed and have the result's shape; the second may also be constant
  /// or one position. Others are broadcast.
  void widen_operands() {
    const auto computed = [&](std::size_t i) { return !input(i).constant; };
    const auto whole = [&](std::size_t i) { return graph::count(input(i).shape) == graph::count(output().shape); };
    require(computed(0) || computed(1), "only constant operands");
    first_ = computed(0) && (whole(0) || !computed(1) || !whole(1)) ? 0 : 1;
    for (std::size_t i = 0; i < 2; ++i) {
      if (computed(i)) {
        operands_[i] = computed_operand(graph_, op_, i, i != first_, layers_);
      }
    }
  }

  /// Makes a constant part of the layer, or a computed operand an input of it.
  std::optional<ConstantOperand> second_operand() {
    if (!second().constant) {
      take(1 - first_);
      return std::nullopt;
    }
    ConstantOperand constant = constant_operand(second(), output().shape);
    if (complemented(1 - first_)) {
      std::transform(constant.bytes.begin(), constant.bytes.end(), constant.bytes.begin(),
                     [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
    }
    return constant;
  }

  /// Adds a computed operand as an input.
  void take(std::size_t operand) {
    auto [id, image] = operands_[operand];
    if (complemented(operand)) {
      Layer layer;
      layer.name = op_.name + "/complement";
      layer.inputs = {id};
      layer.output = id = between_layers(op_.outputs[0], kComplement);
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
    std::vector<std::int16_t> factors;
    for (const std::int8_t byte : constant_bytes(second())) {
      factors.push_back(static_cast<std::int16_t>(byte - b.zero_point));
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

  /// None if no scales of the instruction give the right sum for all pairs of bytes.
  std::optional<AddParams> addition() const {
    const golden::UniformQuantization to = graph::quantization_of(output());
    const auto operand = [&](std::size_t i) {
      const golden::UniformQuantization q = quantization(i);
      return golden::UniformQuantization{q.scale, complemented(i) ? -1 - q.zero_point : q.zero_point};
    };
    const golden::UniformQuantization a = operand(first_), b = operand(1 - first_);
    if (op_.arithmetic == graph::Arithmetic::kTfLite) {
      const AddParams params = golden::add_params(a, b, to, clamp());
      if (kind_ == BinaryKind::kAdd || adds(params, all_pairs())) {  // the complement rounds ties the other way
        return params;
      }
    }
    return find_addition(all_pairs(), {a, b, to});
  }

  /// The host's result for every pair of bytes, in the representation of the instruction's operands and result.
  PairResults all_pairs() const {
    const PairResults of_bytes = pair_results(graph_, op_);
    PairResults pairs(of_bytes.size());
    for (int first = -128; first < 128; ++first) {
      for (int second = -128; second < 128; ++second) {
        const auto operand = [&](std::size_t i) {
          const int value = i == first_ ? first : second;
          return complemented(i) ? -1 - value : value;
        };
        pairs[pair_index(first, second)] = of_bytes[pair_index(operand(0), operand(1))];
      }
    }
    return pairs;
  }

  const Graph& graph_;
  const Operator& op_;
  const BinaryKind kind_;
  std::size_t first_ = 0;  // index of the operator's operand that is the instruction's first
  std::array<ComputedOperand, 2> operands_;
  Layer result_;
  std::vector<Layer> layers_;
};

}  // namespace

std::vector<Layer> lower_binary(const Graph& graph, const Operator& op) { return Lowering(graph, op).run(); }

}  // namespace systole::network
