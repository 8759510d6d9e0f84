// SPDX-License-Identifier: Apache-2.0
#include "type_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "attributes.hpp"
#include "function_names.hpp"
#include "infer.hpp"
#include "kind_rules.hpp"
#include "quantized_types.hpp"

namespace systole::graph {
namespace {

bool is_real(ElementType type) {
  return type == ElementType::kFloat32 || type == ElementType::kFloat64 || type == ElementType::kFloat16 ||
         type == ElementType::kBfloat16;
}
/// The checks of one operator; every message begins with the operator.
class TypeCheck {
 public:
  TypeCheck(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {}

  void operator()(const Conv2d&) const { weighted(0); }
  void operator()(const Dense&) const { weighted(0); }
  void operator()(const MatMul& product) const {
    const auto rank = static_cast<int>(input(1).shape.size());
    weighted(rank - (product.transpose_b ? 2 : 1));
  }
  void operator()(const Binary& binary) const {
    if (binary.kind == BinaryKind::kPrelu && is_scaled_int16(input(0))) {
      require_type(input(1), ElementType::kInt8);
      require_one_scale(input(1));
      require_symmetric(input(0));
      require_same(output(), input(0));
      require_symmetric(output());
      return;
    }
    require_same(input(1), input(0));
    switch (binary.kind) {
      case BinaryKind::kEqual:
      case BinaryKind::kLess:
      case BinaryKind::kLessOrEqual:
        if (op_.arithmetic == Arithmetic::kTfLite && is_byte(input(0).type) && !only_numbers()) {
          require_one_scale(input(0));
          require_one_scale(input(1));
        } else {
          require_numbers();
        }
        require_type(output(), ElementType::kBool);
        return;
      case BinaryKind::kAnd:
      case BinaryKind::kOr:
      case BinaryKind::kXor:
        if (input(0).type != ElementType::kBool) {  // bit by bit
          require_numbers();
        }
        require_same(output(), input(0));
        return;
      case BinaryKind::kModulo:
      case BinaryKind::kRemainder:
      case BinaryKind::kShiftLeft:
      case BinaryKind::kShiftRight:
      case BinaryKind::kFloorDivide:
        require_numbers();
        require_same(output(), input(0));
        return;
      default: break;
    }
    if ((is_byte(input(0).type) || is_scaled_int16(input(0))) &&
        (binary.kind == BinaryKind::kMinimum || binary.kind == BinaryKind::kMaximum)) {
      for (const Tensor* tensor : {&input(1), &output()}) {
        require_same(*tensor, input(0));
        require_same_quantization(*tensor, input(0));
      }
      return;
    }
    arithmetic(binary.kind == BinaryKind::kPower);
  }
  void operator()(const Unary& unary) const {
    switch (unary.kind) {
      case UnaryKind::kNot:
        require_type(input(0), ElementType::kBool);
        require_type(output(), ElementType::kBool);
        return;
      case UnaryKind::kIsNan:
      case UnaryKind::kIsInfinite:
        require_numbers();
        require_type(output(), ElementType::kBool);
        return;
      default: arithmetic(false);
    }
  }
  void operator()(const CumulativeSum&) const {
    require_same(output(), input(0));
    if (op_.arithmetic == Arithmetic::kTfLite && is_byte(input(0).type)) {
      arithmetic(false);
    } else {
      require_numbers();
    }
  }
  void operator()(const L2Normalize&) const { arithmetic(false); }
  void operator()(const LocalResponse&) const {
    require_same(output(), input(0));
    if (is_byte(input(0).type)) {
      require_one_scale(input(0));
      require_one_scale(output());
    } else {
      require(is_real(input(0).type), input(0), "must be int8, uint8 or floating-point");
    }
  }
  void operator()(const LayerNormalize&) const {
    require_same(output(), input(0));
    const bool quantized = input(0).type == ElementType::kInt8;
    if (!quantized && !is_real(input(0).type)) {
      fail(input(0), "the input of a layer normalization must be int8 or floating-point");
    }
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
      require_type(input(i), quantized ? ElementType::kFloat32 : input(0).type);
      if (quantized && !input(i).constant) {
        fail(input(i), "factors and summands of an int8 layer normalization must be constant");
      }
    }
    if (quantized) {
      require_one_scale(input(0));
      require_one_scale(output());
    }
  }
  void operator()(const Scatter& scatter) const {
    if (scatter.combine != Scatter::Combine::kReplace) {
      require_numbers();
    }
  }
  void operator()(const Lstm&) const {
    const bool wide = require_activations(input(0));
    require_same(output(), input(0));
    require_same(input(Lstm::kHidden), input(0));
    require_activations(input(Lstm::kHidden));
    require_same_quantization(output(), input(Lstm::kHidden));
    for (std::size_t gate = 0; gate < 4; ++gate) {
      require_symmetric_weights(input(Lstm::kInputWeights + gate));
      require_symmetric_weights(input(Lstm::kHiddenWeights + gate));
      require_type(input(Lstm::kBias + gate), wide ? ElementType::kInt64 : ElementType::kInt32);
    }
    const Tensor& cell = input(Lstm::kCell);
    require_type(cell, ElementType::kInt16);
    require_symmetric(cell);
    constexpr float kLastDigits = 1e-3F;
    if (const float exponent = std::log2(cell.quantization->scale[0]);
        std::abs(exponent - std::round(exponent)) >= kLastDigits) {
      fail(cell, "the scale of the cell state must be a power of two");
    }
  }
  void operator()(const Svdf&) const {
    require_type(input(0), ElementType::kInt8);
    require_type(output(), ElementType::kInt8);
    require_one_scale(input(0));
    require_one_scale(output());
    require_symmetric_weights(input(Svdf::kFeatureWeights));
    const Tensor& state = input(Svdf::kState);
    require_same(input(Svdf::kTimeWeights), state);
    require_symmetric(input(Svdf::kTimeWeights));
    require_activations(state);
    if (op_.inputs.size() > Svdf::kBias) {
      require_type(input(Svdf::kBias), ElementType::kInt32);
    }
  }
  void operator()(const Reduce&) const { arithmetic(false); }
  void operator()(const Softmax&) const {
    if (input(0).type == ElementType::kInt8 && is_scaled_int16(output())) {
      require_one_scale(input(0));
      require_one_scale(output());
      return;
    }
    arithmetic(false);
  }
  void operator()(const Concat&) const {
    for (const TensorId id : op_.inputs) {
      const Tensor& part = graph_.tensor(id);
      require_same(part, output());
      if (part.quantization.has_value() != output().quantization.has_value() && is_quantizable(part.type)) {
        fail(part, "the parts and the result must be all quantized or all unquantized");
      }
    }
  }
  void operator()(const Convert&) const {
    for (const Tensor* tensor : {&input(0), &output()}) {
      const bool other_is_real = (tensor == &output() ? input(0) : output()).type == ElementType::kFloat32;
      if (is_quantizable(tensor->type) && !tensor->quantization && other_is_real) {
        fail(*tensor, "a conversion between floating-point and integer needs a scale and a zero point");
      }
      if (tensor->quantization && tensor->quantization->per_channel() && tensor == &output()) {
        fail(*tensor, "a computed tensor must have one scale, not one per channel");
      }
    }
  }
  void operator()(const Reinterpret&) const {
    if (element_size(input(0).type) != element_size(output().type)) {
      fail(output(), "its elements must have as many bits as those of the input");
    }
  }
  template <class Other>
  void operator()(const Other&) const {}

  /// The rules that are in the kind's row.
  void by_rules() const {
    const KindRules& rules = rules_of(op_.kind);
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      if (op_.inputs[i] != kNoTensor) {
        by_rule(input(i), rule_at(rules.operands, i));
      }
    }
    for (std::size_t i = 0; i < op_.outputs.size(); ++i) {
      by_rule(graph_.tensor(op_.outputs[i]), rule_at(rules.results, i));
    }
  }

 private:
  const Tensor& input(std::size_t i) const { return graph_.tensor(op_.inputs[i]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }

  [[noreturn]] void fail(const Tensor& tensor, const char* rule) const {
    throw GraphError(fmt::format("{}: {}: {}", title(op_), title(tensor), rule));
  }
  void require_same(const Tensor& tensor, const Tensor& as) const {
    if (tensor.type != as.type) {
      throw GraphError(
          fmt::format("{}: {} and {} must have the same element type", title(op_), title(tensor), title(as)));
    }
  }
  void require_type(const Tensor& tensor, ElementType type) const {
    if (tensor.type != type) {
      throw GraphError(fmt::format("{}: {}: it must be {}", title(op_), title(tensor), name_of(type)));
    }
  }
  void by_rule(const Tensor& tensor, const OperandRule& rule) const {
    switch (rule.elements) {
      case Elements::kAny: break;
      case Elements::kBool: require_type(tensor, ElementType::kBool); break;
      case Elements::kInt64: require_type(tensor, ElementType::kInt64); break;
      case Elements::kIndex:
        require(tensor.type == ElementType::kInt32 || tensor.type == ElementType::kInt64, tensor,
                "indices must be int32 or int64");
        break;
      case Elements::kReal: require(is_real(tensor.type), tensor, "must be floating-point"); break;
      case Elements::kScaledOrReal:
        require(is_byte(tensor.type) || is_real(tensor.type) || is_scaled_int16(tensor), tensor,
                "must be int8, uint8, int16 with a scale, or floating-point");
        break;
      case Elements::kOneScaleAtMost:
        require(!tensor.quantization || !tensor.quantization->per_channel(), tensor,
                "needs one scale, not one per channel");
    }
    if (rule.as >= 0) {
      const Tensor& as = input(static_cast<std::size_t>(rule.as));
      require_same(tensor, as);
      require_same_quantization(tensor, as);
    }
  }
  void require(bool holds, const Tensor& tensor, const char* rule) const {
    if (!holds) {
      fail(tensor, rule);
    }
  }
  void require_numbers() const {
    if (!only_numbers()) {
      fail(input(0), "the input must not have a scale; insert a Convert to dequantize it");
    }
  }
  void require_one_scale(const Tensor& tensor) const {
    if (!tensor.quantization) {
      fail(tensor, "integers need a scale and a zero point");
    }
    if (tensor.quantization->per_channel()) {
      fail(tensor, "needs one scale, not one per channel");
    }
  }

  /// One scale; 16-bit activations are symmetric. Returns whether they are 16-bit.
  bool require_activations(const Tensor& tensor) const {
    if (tensor.type != ElementType::kInt8 && tensor.type != ElementType::kInt16) {
      fail(tensor, "it must be int8 or int16");
    }
    require_one_scale(tensor);
    if (tensor.type == ElementType::kInt16) {
      require_symmetric(tensor);
    }
    return tensor.type == ElementType::kInt16;
  }
  void require_symmetric(const Tensor& tensor) const {
    require_one_scale(tensor);
    if (tensor.quantization->zero_point[0] != 0) {
      fail(tensor, "its zero point must be 0");
    }
  }
  void require_symmetric_weights(const Tensor& tensor) const {
    require_type(tensor, ElementType::kInt8);
    require_symmetric(tensor);
  }

  /// Results have the type of the operands; 8- and 16-bit integers have a scale, wider integers are plain numbers.
  void arithmetic(bool real_only) const {
    require_same(output(), input(0));
    const ElementType type = input(0).type;
    if (op_.arithmetic == Arithmetic::kOnnx && type != ElementType::kBool && only_numbers()) {
      return;
    }
    if (type == ElementType::kFloat32 || (!real_only && (type == ElementType::kInt32 || type == ElementType::kInt64))) {
      return;
    }
    const bool wide = type == ElementType::kInt16 && op_.arithmetic == Arithmetic::kTfLite;
    if ((!is_byte(type) && !wide) || real_only) {
      fail(input(0), real_only ? "must be float32" : "must be int8, uint8, int16, int32, int64 or float32");
    }
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      wide ? require_symmetric(input(i)) : require_one_scale(input(i));
    }
    wide ? require_symmetric(output()) : require_one_scale(output());
  }

  /// ONNX computes on unquantized integers of all sizes.
  bool only_numbers() const {
    bool scales = output().quantization.has_value();
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      scales = scales || input(i).quantization.has_value();
    }
    return !scales;
  }

  void require_same_quantization(const Tensor& tensor, const Tensor& as) const {
    if (is_quantizable(tensor.type) && !same_quantization(as, tensor)) {
      throw GraphError(fmt::format(
          "{}: {} has {}, {} has {}: it does not convert elements, so both must have the same quantization; insert a "
          "Convert",
          title(op_), title(as), quantization_text(as), title(tensor), quantization_text(tensor)));
    }
  }

  void weighted(int channel_axis) const {
    const Tensor& weights = input(1);
    const bool has_bias = op_.inputs.size() > 2 && op_.inputs[2] != kNoTensor;
    if (is_real(input(0).type)) {
      if (is_quantizable(weights.type)) {
        fail(weights,
             "integer weights with floating-point activations (hybrid quantization) are not supported: convert the "
             "model with integer activations, or completely to float32, which systole quantize converts to int8");
      }
      require_same(weights, input(0));
      require_same(output(), input(0));
      if (has_bias) {
        require_same(input(2), input(0));
      }
      return;
    }
    if (input(0).type == ElementType::kInt16 && op_.arithmetic == Arithmetic::kTfLite) {
      weighted_wide(weights, has_bias, channel_axis);
      return;
    }
    if (!is_byte(input(0).type) || !is_byte(weights.type)) {
      fail(is_byte(input(0).type) ? weights : input(0),
           "input and weights must both be int8 or uint8, or both float32");
    }
    if (has_bias && input(2).type != ElementType::kInt32) {
      fail(input(2), "the bias of an integer operator must be int32");
    }
    require_scales_per_output(weights, channel_axis);
    if (output().type == ElementType::kInt32 && !output().quantization) {
      return;
    }
    if (!is_byte(output().type)) {
      fail(output(), "the result must be int8 or uint8 with a quantization, or int32 without one");
    }
    require_one_scale(input(0));
    require_one_scale(output());
    if (!weights.quantization) {
      fail(weights, "weights need scales");
    }
  }

  void require_scales_per_output(const Tensor& weights, int channel_axis) const {
    const std::optional<Quantization>& scales = weights.quantization;
    if (scales && scales->per_channel() &&
        axis_of(scales->axis, weights.shape.size()) != static_cast<std::size_t>(channel_axis)) {
      fail(weights, "scales must be per output channel");
    }
  }

  /// 16-bit activations: weights have 8 bits; the second operand of a product of two computed matrices has 16.
  void weighted_wide(const Tensor& weights, bool has_bias, int channel_axis) const {
    require_symmetric(input(0));
    require_same(output(), input(0));
    require_symmetric(output());
    if (std::holds_alternative<MatMul>(op_.kind)) {
      require_same(weights, input(0));
      require_symmetric(weights);
      return;
    }
    require_type(weights, ElementType::kInt8);
    if (!weights.quantization) {
      fail(weights, "weights need scales");
    }
    require_scales_per_output(weights, channel_axis);
    const std::vector<std::int32_t>& points = weights.quantization->zero_point;
    if (std::any_of(points.begin(), points.end(), [](std::int32_t point) { return point != 0; })) {
      fail(weights, "zero points of weights must be 0 with 16-bit activations");
    }
    if (has_bias && input(2).type != ElementType::kInt64 && input(2).type != ElementType::kInt32) {
      fail(input(2), "the bias of 16-bit activations must be int64 or int32");
    }
  }

  const Graph& graph_;
  const Operator& op_;
};

/// Whether sim/golden/binary32_rows.hpp has a rule for it.
bool is_of_rows(const Graph& graph, const Operator& op) {
  const auto is_last = [&](int axis) {
    const std::size_t rank = graph.tensor(op.inputs[0]).shape.size();
    return rank > 0 && axis_of(axis, rank) + 1 == rank;
  };
  if (const auto* reduce = std::get_if<Reduce>(&op.kind)) {
    return reduce->kind == ReduceKind::kMean && reduce->axes.size() == 1 && is_last(reduce->axes[0]);
  }
  if (const auto* softmax = std::get_if<Softmax>(&op.kind)) {
    return !softmax->logarithm && softmax->beta == 1 && is_last(softmax->axis);
  }
  if (const auto* binary = std::get_if<Binary>(&op.kind)) {
    return has_near_formula(binary->kind) && binary->activation == Activation::kNone;
  }
  const auto* unary = std::get_if<Unary>(&op.kind);
  return unary != nullptr && has_near_formula(unary->kind);
}

}  // namespace

void check_types(const Graph& graph, const Operator& op) {
  if (op.arithmetic == Arithmetic::kBlocks) {
    const Activation* activation = activation_of(op.kind);
    const bool floats = graph.tensor(op.inputs[0]).type == ElementType::kFloat32;
    const bool product = takes_bias(op.kind) && (activation == nullptr || *activation == Activation::kNone);
    if (!floats || !(product || is_of_rows(graph, op))) {
      throw GraphError(fmt::format(
          "{}: block floating point has only Conv2d, Dense and MatMul of float32 without an activation, "
          "and beside them means and softmax along the last axis, sigmoid, roots, reciprocal roots and quotients",
          title(op)));
    }
  }
  if (op.arithmetic == Arithmetic::kLiteRt &&
      !(std::holds_alternative<Dense>(op.kind) && graph.tensor(op.inputs[0]).type == ElementType::kInt8)) {
    throw GraphError(fmt::format("{}: LiteRT's arithmetic has only Dense of int8", title(op)));
  }
  const TypeCheck check(graph, op);
  check.by_rules();
  std::visit(check, op.kind);
}

}  // namespace systole::graph
