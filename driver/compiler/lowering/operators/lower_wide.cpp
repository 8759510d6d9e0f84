// SPDX-License-Identifier: Apache-2.0
#include "lower_wide.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "attributes.hpp"
#include "bytes.hpp"
#include "elementwise16.hpp"
#include "functions16.hpp"
#include "int16.hpp"
#include "integer_formulas.hpp"
#include "refused.hpp"
#include "rescale.hpp"

namespace systole::network {
namespace {

using compiler::ElementFunction;
using I = compiler::IntWord;
using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;
using kernel::Format;

constexpr float kFraction = 1.0F / 32768.0F;
constexpr QuantParam kHalf{1 << 30, 0};

Format format_of(const Tensor& tensor) {
  switch (tensor.type) {
    case ElementType::kInt8:
    case ElementType::kUint8: return Format::kI8;
    case ElementType::kInt16: return Format::kI16;
    case ElementType::kInt32: return Format::kI32;
    default:
      throw Refused(fmt::format("{}; the device requires int8, uint8, int16 or int32", graph::name_of(tensor.type)));
  }
}

class Calls {
 public:
  Calls(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {
    for (const auto& ids : {op.inputs, op.outputs}) {
      for (const graph::TensorId id : ids) {
        const Tensor& tensor = graph.tensor(id);
        require(tensor.quantization && !tensor.quantization->per_channel(), "a tensor without a single scale");
      }
    }
  }

  WideCall operator()(const graph::Convert&) const {
    const Tensor &from = input(0), &to = output();
    const QuantParam scale = quantize_multiplier(double{scale_of(from)} / double{scale_of(to)});
    const I result = rescaled(integer(0) - given("zero"), "factor", scale) + given("offset");
    require(to.type != ElementType::kInt32 || zero_point_of(to) == 0, "a zero point of 32 bits");
    return alone({"rescale", {format_of(from)}, format_of(to), result.word},
                 {{"factor", scale.multiplier}, {"zero", zero_point_of(from)}, {"offset", zero_point_of(to)}});
  }

  WideCall operator()(const graph::Unary& op) const {
    require_int16({&input(0), &output()});
    const float from = scale_of(input(0)), to = scale_of(output());
    const I x = integer(0);
    switch (op.kind) {
      case graph::UnaryKind::kIdentity:
      case graph::UnaryKind::kRelu: {
        const QuantParam scale = quantize_multiplier(double{from} / double{to});
        const I result = rescaled(x, "factor", scale);
        return alone(of_16_bits("rescale", op.kind == graph::UnaryKind::kRelu ? maximum(result, 0) : result),
                     {{"factor", scale.multiplier}});
      }
      case graph::UnaryKind::kLeakyRelu: {
        const auto [above, below, sign] = golden::leaky_relu_scales(from, to, op.alpha);
        return alone(of_16_bits("leaky_relu", golden::functions::select(
                                                  less(x, 0), rescaled(x, "below", below) * static_cast<int>(sign),
                                                  rescaled(x, "above", above))),
                     {{"above", above.multiplier}, {"below", below.multiplier}});
      }
      case graph::UnaryKind::kSigmoid: return sigmoid();
      case graph::UnaryKind::kTanh: return tanh();
      default: throw Refused(fmt::format("{} of int16", graph::name_of(op.kind)));
    }
  }

  WideCall operator()(const graph::Binary& op) const {
    const float a = scale_of(input(0)), b = scale_of(input(1)), to = scale_of(output());
    const I x = integer(0), y = integer(1);
    if (op.kind == graph::BinaryKind::kPrelu) {
      require_int16({&input(0), &output()});
      require_type(input(1), {ElementType::kInt8}, "int8");
      const QuantParam above = quantize_multiplier(double{a} / double{to});
      const QuantParam below = quantize_multiplier(double{a} * double{b} / double{to});
      const I result = golden::functions::select(less(x, 0), rescaled(x * (y - given("zero")), "below", below),
                                                 rescaled(x, "above", above));
      return pair({"prelu", {Format::kI16, Format::kI8}, Format::kI16, result.word},
                  {{"zero", zero_point_of(input(1))}, {"above", above.multiplier}, {"below", below.multiplier}});
    }
    require_int16({&input(0), &input(1), &output()});
    switch (op.kind) {
      case graph::BinaryKind::kAdd: return sum(golden::add_params16(a, b, to), false, op.activation);
      case graph::BinaryKind::kSubtract: return sum(golden::add_params16(a, b, to), true, op.activation);
      case graph::BinaryKind::kMultiply: {
        const QuantParam scale = quantize_multiplier(double{a} * double{b} / double{to});
        return pair(limited("product", rescaled(x * y, "factor", scale)), op.activation,
                    {{"factor", scale.multiplier}});
      }
      case graph::BinaryKind::kSquaredDifference: {
        require(op.activation == Activation::kNone, "an activation of a squared difference");
        const golden::PairParams16 p = golden::squared_difference_params16(a, b, to);
        const I difference = rescaled(x, "a_factor", p.lhs_scale) - rescaled(y, "b_factor", p.rhs_scale);
        return pair(of_16_bits("squared_difference", rescaled(difference * difference, "factor", p.output_scale)),
                    {{"a_factor", p.lhs_scale.multiplier},
                     {"b_factor", p.rhs_scale.multiplier},
                     {"factor", p.output_scale.multiplier}});
      }
      case graph::BinaryKind::kMaximum: return pair(limited("maximum", maximum(x, y)), op.activation, {});
      case graph::BinaryKind::kMinimum: return pair(limited("minimum", minimum(x, y)), op.activation, {});
      default: throw Refused(fmt::format("{} of int16", graph::name_of(op.kind)));
    }
  }

  template <class Other>
  WideCall operator()(const Other&) const {
    throw Refused(fmt::format("{} of 16 bits", graph::name_of(op_.kind)));
  }

 private:
  using Values = std::map<std::string, std::int64_t>;

  static WideCall alone(ElementFunction function, Values values) {
    return {compiler::element_call(std::move(function), std::move(values)), {0}};
  }
  static WideCall pair(ElementFunction function, Values values) {
    return {compiler::element_call(std::move(function), std::move(values)), {0, 1}};
  }
  /// Of a function that is limited().
  WideCall pair(ElementFunction function, Activation activation, Values values) const {
    const golden::Clamp16 clamp = graph::clamp16_of(activation, output());
    values.insert({{"least", clamp.min}, {"greatest", clamp.max}});
    return pair(std::move(function), std::move(values));
  }

  ElementFunction of_16_bits(const char* name, const I& result) const {
    return {name, std::vector<Format>(op_.inputs.size(), Format::kI16), Format::kI16, result.word};
  }
  ElementFunction limited(const char* name, const I& result) const {
    return of_16_bits(name, minimum(maximum(result, given("least")), given("greatest")));
  }

  const Tensor& input(std::size_t i) const { return graph_.tensor(op_.inputs[i]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }
  static float scale_of(const Tensor& tensor) { return tensor.quantization->scale[0]; }
  /// As the device stores the elements.
  static std::int64_t zero_point_of(const Tensor& tensor) {
    return tensor.quantization->zero_point[0] - toggle_of(tensor.type);
  }

  static void require_int16(std::initializer_list<const Tensor*> tensors) {
    for (const Tensor* tensor : tensors) {
      require_type(*tensor, {ElementType::kInt16}, "operands and result of one width");
    }
  }

  /// Both are multiplied by 2^15 and rescaled to twice the larger of their scales, combined, and rescaled to the scale
  /// of the result. So the operand of the larger scale, the function's second, is just multiplied by 2^14.
  WideCall sum(const golden::PairParams16& p, bool difference, Activation activation) const {
    const bool swapped = p.rhs_scale != kHalf;
    const QuantParam& first = swapped ? p.rhs_scale : p.lhs_scale;
    const I a = rescaled(integer(0) << 15, "a_factor", first), b = integer(1) << 14;
    const I sum = !difference ? a + b : swapped ? b - a : a - b;
    WideCall call = pair(limited(difference ? "difference" : "sum", rescaled(sum, "factor", p.output_scale)),
                         activation, {{"a_factor", first.multiplier}, {"factor", p.output_scale.multiplier}});
    if (swapped) {
      call.operands = {1, 0};
    }
    return call;
  }

  /// An element in steps between the points of a sigmoid, of which `bits` bits are between two of them.
  static I steps(const golden::PointScale& scale) {
    const I half = scale.shift > 0 ? 1 << (scale.shift - 1) : 0;
    return (integer(0) * given("multiplier") + half) >> scale.shift;
  }
  /// Between the points of the table, of a magnitude: 2^bits times the sigmoid.
  static I between_points(const I& magnitude, int bits) {
    const I point = table(minimum(magnitude >> bits, 255));
    return ((point & 0xffff) << bits) + (magnitude & ((1 << bits) - 1)) * shift_logical(point, 16);
  }
  /// The value, or its complement where all bits are ones.
  static I with_sign(const I& value, const I& negative) { return (value ^ negative) - negative; }

  /// `last` is the value behind the last point.
  WideCall between(const char* name, const I& result, const golden::PointScale& scale, std::uint32_t last) const {
    require(scale_of(output()) == kFraction, "a result whose scale is not 1/32768");
    WideCall call = alone(of_16_bits(name, result), {{"multiplier", scale.multiplier}});
    const auto& points = golden::sigmoid_points();
    call.call.table.emplace();
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const auto slope = static_cast<std::uint32_t>(points[i + 1] - points[i]);
      (*call.call.table)[i] = points[i] | slope << 16;
    }
    call.call.table->back() = last;
    return call;
  }

  WideCall sigmoid() const {
    constexpr int kBits = 9, kLessOne = 0x1ffffff;  // one has 25 bits
    const golden::PointScale scale = golden::logistic_scale(scale_of(input(0)));
    const I x = steps(scale), negative = less(x, 0);
    const I value = with_sign(between_points(with_sign(x, negative), kBits), negative) + (negative & kLessOne);
    return between("logistic", (value + (1 << kBits)) >> (kBits + 1), scale, 0x7FFF << 1);
  }

  WideCall tanh() const {
    constexpr int kBits = 8, kMiddle = 0x800000;
    const golden::PointScale scale = golden::tanh_scale(scale_of(input(0)));
    const I x = steps(scale), negative = less(x, 0);
    const I value = with_sign(between_points(with_sign(x, negative), kBits) - kMiddle, negative) + negative;
    return between("tanh", (value + (1 << (kBits - 1))) >> kBits, scale, 0xFFFF);
  }

  const Graph& graph_;
  const Operator& op_;
};

}  // namespace

bool has_wide_elements(const Graph& graph, const Operator& op) {
  const auto wide = [&](graph::TensorId id) { return graph::element_size(graph.tensor(id).type) > 1; };
  return std::any_of(op.inputs.begin(), op.inputs.end(), wide) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), wide);
}

WideCall wide_elementwise_call(const Graph& graph, const Operator& op) {
  require(op.arithmetic == graph::Arithmetic::kTfLite, "elements of 16 bits in ONNX's arithmetic");
  return std::visit(Calls(graph, op), op.kind);
}

}  // namespace systole::network
