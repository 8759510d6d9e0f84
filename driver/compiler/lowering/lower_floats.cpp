// SPDX-License-Identifier: Apache-2.0
#include "lower_floats.hpp"

#include <fmt/core.h>

#include <bit>
#include <limits>
#include <utility>

#include "attributes.hpp"
#include "binary32.hpp"
#include "execute_binary32.hpp"
#include "kernels.hpp"
#include "refused.hpp"

namespace systole::network {
namespace {

using compiler::KernelCall;
using graph::BinaryKind;
using graph::ElementType;
using graph::ReduceKind;
using graph::Shape;
using graph::UnaryKind;

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr std::int64_t kSign = 0x80000000, kMagnitude = kSign - 1, kAll = 0xFFFFFFFF;

std::int64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

KernelCall linear(float factor, float offset, float low = -kInfinite, float high = kInfinite) {
  return {"float_linear",
          {{"factor", bits(factor)}, {"offset", bits(offset)}, {"low", bits(low)}, {"high", bits(high)}}};
}
KernelCall add_or_subtract(bool subtract) { return {"float_add", {{"flip", subtract ? kSign : 0}}}; }
KernelCall keep_bits(std::int64_t keep, std::int64_t flip) { return {"float_bits", {{"keep", keep}, {"flip", flip}}}; }
/// -1, 0 or 1, times `direction`; NaN for a NaN.
KernelCall sign(int direction) {
  return linear(static_cast<float>(direction) * golden::binary32::kSignFactor, 0, -1, 1);
}
KernelCall rounding(float factor, bool down) {
  return {"float_round", {{"factor", bits(factor)}, {"down", down ? 1 : 0}}};
}

class Floats {
 public:
  explicit Floats(KernelSteps& steps) : steps_(steps) {}

  Term function(const graph::Unary& op) {
    if (steps_.output().type == ElementType::kBool) {
      return classes(op);
    }
    const Term x = steps_.operand(0);
    switch (op.kind) {
      case UnaryKind::kRelu: return steps_.apply(linear(1, -0.0F, 0), {x});
      case UnaryKind::kRelu6: return steps_.apply(linear(1, -0.0F, 0, 6), {x});
      case UnaryKind::kClip: return steps_.apply(linear(1, -0.0F, op.alpha, op.beta), {x});
      case UnaryKind::kLeakyRelu: return steps_.apply({"float_leaky_relu", {{"slope", bits(op.alpha)}}}, {x});
      case UnaryKind::kHardSigmoid: return steps_.apply(linear(op.alpha, op.beta, 0, 1), {x});
      case UnaryKind::kHardSwish:
        return steps_.apply({"float_multiply"}, {x, steps_.apply(linear(1.0F / 6, 0.5F, 0, 1), {x})});
      case UnaryKind::kElu: {
        const Term below = steps_.apply(linear(op.alpha, -0.0F), {steps_.apply({"float_expm1"}, {x})});
        return steps_.apply(add_or_subtract(false), {steps_.apply(linear(1, -0.0F, 0), {x}), below});
      }
      case UnaryKind::kSigmoid: {
        const Term inverse = steps_.apply({"float_exp"}, {steps_.apply(keep_bits(kAll, kSign), {x})});
        return reciprocal(steps_.apply(linear(1, 1), {inverse}));
      }
      case UnaryKind::kTanh: {
        const Term t = steps_.apply({"float_expm1"},
                                    {steps_.apply(linear(-2, -0.0F), {steps_.apply(keep_bits(kMagnitude, 0), {x})})});
        const Term ratio = steps_.apply({"float_divide"}, {t, steps_.apply(linear(1, 2), {t})});
        return steps_.apply({"float_multiply"}, {ratio, steps_.apply(sign(-1), {x})});
      }
      case UnaryKind::kSoftplus: {
        const Term less = steps_.apply({"float_exp"}, {steps_.apply(keep_bits(kMagnitude, kSign), {x})});
        const Term rest = steps_.apply({"float_log"}, {steps_.apply(linear(1, 1), {less})});
        return steps_.apply(add_or_subtract(false), {steps_.apply(linear(1, -0.0F, 0), {x}), rest});
      }
      case UnaryKind::kErf: return error_function(x);
      case UnaryKind::kGelu: return steps_.apply({"float_gelu"}, {x});
      case UnaryKind::kAbs: return steps_.apply(keep_bits(kMagnitude, 0), {x});
      case UnaryKind::kNegate: return steps_.apply(keep_bits(kAll, kSign), {x});
      case UnaryKind::kExp: return steps_.apply({"float_exp"}, {x});
      case UnaryKind::kLog: return steps_.apply({"float_log"}, {x});
      case UnaryKind::kSqrt: return steps_.apply({"float_sqrt"}, {x});
      case UnaryKind::kReciprocal: return reciprocal(x);
      case UnaryKind::kReciprocalSqrt: return reciprocal(steps_.apply({"float_sqrt"}, {x}));
      case UnaryKind::kFloor: return steps_.apply(rounding(1, true), {x});
      case UnaryKind::kCeil: return steps_.apply(rounding(-1, true), {x});
      case UnaryKind::kRound: return steps_.apply(rounding(1, false), {x});
      case UnaryKind::kSign: return steps_.apply(sign(1), {x});
      default: throw Refused(fmt::format("{} of float32", graph::name_of(op.kind)));
    }
  }

  Term combination(BinaryKind kind) {
    if (kind == BinaryKind::kPower) {
      return power(graph::whole_power(steps_.input(1)));
    }
    const Term a = steps_.operand(0);
    const Term b = steps_.input_id(0) == steps_.input_id(1) ? a : steps_.operand(1);
    switch (kind) {
      case BinaryKind::kAdd: return steps_.apply(add_or_subtract(false), {a, b});
      case BinaryKind::kSubtract: return steps_.apply(add_or_subtract(true), {a, b});
      case BinaryKind::kMultiply: return steps_.apply({"float_multiply"}, {a, b});
      case BinaryKind::kDivide: return steps_.apply({"float_divide"}, {a, b});
      case BinaryKind::kMinimum: return steps_.apply({"float_minimum"}, {a, b});
      case BinaryKind::kMaximum: return steps_.apply({"float_maximum"}, {a, b});
      case BinaryKind::kSquaredDifference: {
        const Term difference = steps_.apply(add_or_subtract(true), {a, b});
        return steps_.apply({"float_multiply"}, {difference, difference});
      }
      case BinaryKind::kLess: return steps_.apply({"float_less"}, {a, b}, ElementType::kBool);
      case BinaryKind::kLessOrEqual: return steps_.apply({"float_compare", {{"equal", 0}}}, {a, b}, ElementType::kBool);
      case BinaryKind::kEqual: return steps_.apply({"float_compare", {{"equal", 1}}}, {a, b}, ElementType::kBool);
      default: throw Refused(fmt::format("{} of float32", graph::name_of(kind)));
    }
  }

  Term reduction(const graph::Reduce& op) {
    const char* kernel = op.kind == ReduceKind::kMax       ? "float_max_rows"
                         : op.kind == ReduceKind::kMin     ? "float_min_rows"
                         : op.kind == ReduceKind::kProduct ? "float_product_rows"
                                                           : "float_sum_rows";
    Shape shape = steps_.input(0).shape;
    const Term result = steps_.folded(kernel, steps_.given(0), shape, op.axes);
    if (op.kind != ReduceKind::kMean) {
      return result;
    }
    const std::int64_t each = graph::count(steps_.input(0).shape) / graph::count(shape);
    return steps_.apply({"float_divide"}, {result, steps_.constant(static_cast<float>(each))});
  }

  Term softmax(const graph::Softmax& op) {
    require(op.beta == 1, "a softmax with a factor");
    const Term x = steps_.given(0);
    const Shape shape = steps_.input(0).shape;
    Shape kept = shape;
    const Term most = broadcast_back(steps_.folded("float_max_rows", x, kept, {op.axis}), kept);
    const Term below = steps_.apply(add_or_subtract(true), {x, most});
    const Term powers = steps_.apply({"float_exp"}, {below});
    kept = shape;
    const Term sum = steps_.folded("float_sum_rows", powers, kept, {op.axis});
    if (op.logarithm) {
      const Term logarithm = steps_.apply({"float_log"}, {sum}, grid_of(kept), ElementType::kFloat32);
      return steps_.apply(add_or_subtract(true), {below, broadcast_back(logarithm, kept)});
    }
    return steps_.apply({"float_divide"}, {powers, broadcast_back(sum, kept)});
  }

 private:
  Term reciprocal(const Term& x) { return steps_.apply({"float_divide"}, {steps_.constant(1), x}); }

  Term power(int exponent) {
    require(exponent != 0, "a power of float32 other than a constant 2 or 3");
    const Term x = steps_.operand(0);
    const Term square = steps_.apply({"float_multiply"}, {x, x});
    return exponent == 2 ? square : steps_.apply({"float_multiply"}, {square, x});
  }

  Term error_function(const Term& x) {
    const Term less = steps_.apply({"float_expm1"}, {steps_.apply({"float_erf_exponent"}, {x})});
    return steps_.apply({"float_erf"}, {x, less});
  }

  Term classes(const graph::Unary& op) {
    require(op.kind == UnaryKind::kIsNan || op.kind == UnaryKind::kIsInfinite, "a test of float32");
    const bool nan = op.kind == UnaryKind::kIsNan;
    return steps_.apply({"float_class",
                         {{"nan", nan ? 1 : 0},
                          {"positive", !nan && op.beta != 0 ? 1 : 0},
                          {"negative", !nan && op.alpha != 0 ? 1 : 0}}},
                        {steps_.operand(0)}, ElementType::kBool);
  }

  Term broadcast_back(const Term& term, const Shape& kept) {
    const Shape& shape = steps_.input(0).shape;
    return graph::count(kept) == graph::count(shape) ? term : steps_.broadcast(term, kept, shape);
  }

  KernelSteps& steps_;
};

}  // namespace

Term float_function(KernelSteps& steps, const graph::Unary& op) { return Floats(steps).function(op); }
Term float_combination(KernelSteps& steps, graph::BinaryKind kind) { return Floats(steps).combination(kind); }
Term float_reduction(KernelSteps& steps, const graph::Reduce& op) { return Floats(steps).reduction(op); }
Term float_softmax(KernelSteps& steps, const graph::Softmax& op) { return Floats(steps).softmax(op); }

}  // namespace systole::network
