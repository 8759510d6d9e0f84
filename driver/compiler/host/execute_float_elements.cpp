// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of unquantized elements.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "attributes.hpp"
#include "element_visit.hpp"
#include "execute_binary32.hpp"
#include "float_ops.hpp"

namespace systole::graph {
namespace {

/// The functions that are defined for unquantized integers.
template <class Element>
Value integer_unary(const Call& call, const Unary& op) {
  auto values = elements<Element>(call.input(0));
  for (Element& value : values) {
    switch (op.kind) {
      case UnaryKind::kIdentity: break;
      case UnaryKind::kRelu: value = std::max(value, Element{0}); break;
      case UnaryKind::kRelu6: value = std::clamp(value, Element{0}, Element{6}); break;
      case UnaryKind::kSign:
        value = static_cast<Element>(static_cast<int>(value > 0) - static_cast<int>(value < 0));
        break;
      case UnaryKind::kAbs:
        value = value < 0 ? static_cast<Element>(0 - static_cast<std::uint64_t>(value)) : value;
        break;
      case UnaryKind::kNegate: value = static_cast<Element>(0 - static_cast<std::uint64_t>(value)); break;
      default: call.unsupported(std::string(name_of(op.kind)).append(" of integers without a scale"));
    }
  }
  return make_value(call.input(0).type, call.output_tensor().shape, values);
}

double round_to_even(double x) { return std::nearbyint(x); }

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

}  // namespace

double apply(const Unary& op, double x) {
  const double alpha = op.alpha;
  const double beta = op.beta;
  switch (op.kind) {
    case UnaryKind::kRelu: return std::max(x, 0.0);
    case UnaryKind::kRelu6: return std::clamp(x, 0.0, 6.0);
    case UnaryKind::kClip: return std::min(std::max(x, alpha), beta);
    case UnaryKind::kLeakyRelu: return x > 0 ? x : alpha * x;
    case UnaryKind::kElu: return x < 0 ? alpha * std::expm1(x) : x;
    case UnaryKind::kHardSigmoid: return std::clamp(alpha * x + beta, 0.0, 1.0);
    case UnaryKind::kHardSwish: return x * (std::clamp(x + 3.0, 0.0, 6.0) / 6.0);
    case UnaryKind::kSigmoid: return sigmoid(x);
    case UnaryKind::kTanh: return std::tanh(x);
    case UnaryKind::kGelu: return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
    case UnaryKind::kSoftplus: return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
    case UnaryKind::kAbs: return std::abs(x);
    case UnaryKind::kNegate: return -x;
    case UnaryKind::kExp: return std::exp(x);
    case UnaryKind::kLog: return std::log(x);
    case UnaryKind::kSqrt: return std::sqrt(x);
    case UnaryKind::kReciprocalSqrt: return 1 / std::sqrt(x);
    case UnaryKind::kReciprocal: return 1.0 / x;
    case UnaryKind::kFloor: return std::floor(x);
    case UnaryKind::kCeil: return std::ceil(x);
    case UnaryKind::kRound: return round_to_even(x);
    case UnaryKind::kSign: return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0));
    case UnaryKind::kErf: return std::erf(x);
    case UnaryKind::kSin: return std::sin(x);
    case UnaryKind::kCos: return std::cos(x);
    case UnaryKind::kTan: return std::tan(x);
    case UnaryKind::kAcos: return std::acos(x);
    case UnaryKind::kAsin: return std::asin(x);
    case UnaryKind::kAtan: return std::atan(x);
    case UnaryKind::kSinh: return std::sinh(x);
    case UnaryKind::kCosh: return std::cosh(x);
    case UnaryKind::kAcosh: return std::acosh(x);
    case UnaryKind::kAsinh: return std::asinh(x);
    case UnaryKind::kAtanh: return std::atanh(x);
    case UnaryKind::kIdentity:
    case UnaryKind::kNot:
    case UnaryKind::kIsNan:
    case UnaryKind::kIsInfinite: return x;
  }
  return x;
}

namespace {

template <class Element>
Value real_unary(const Call& call, const Unary& op) {
  auto values = elements<Element>(call.input(0));
  // TensorFlow Lite's kernel computes the exponential in float, which is not always correctly rounded.
  const bool in_float =
      op.kind == UnaryKind::kExp && call.op.arithmetic == Arithmetic::kTfLite && std::is_same_v<Element, float>;
  for (Element& value : values) {
    value = in_float ? static_cast<Element>(std::exp(static_cast<float>(value)))
                     : static_cast<Element>(apply(op, static_cast<double>(value)));
  }
  return make_value(call.input(0).type, call.output_tensor().shape, values);
}

}  // namespace

Value run_plain(const Call& call, const Unary& op) {
  if (auto value = in_binary32(call, op)) {
    return std::move(*value);
  }
  const ElementType type = call.input(0).type;
  if (call.output_tensor().type == ElementType::kBool) {
    return run_test(call, op);
  }
  if (type == ElementType::kBool) {
    call.unsupported("only numbers are supported");
  }
  return with_element(type, [&](auto element) {
    using Element = decltype(element);
    if constexpr (kIsReal<Element>) {
      return real_unary<Element>(call, op);
    } else {
      return integer_unary<Element>(call, op);
    }
  });
}

}  // namespace systole::graph
