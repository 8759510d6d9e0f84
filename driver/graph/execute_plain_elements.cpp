// SPDX-License-Identifier: Apache-2.0
// Element-wise operators of float32, int32 and int64.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "graph/attributes.hpp"
#include "graph/indices.hpp"
#include "graph/plain.hpp"

namespace systole::graph {
namespace {

double combine(BinaryKind kind, double a, double b) {
  switch (kind) {
    case BinaryKind::kAdd:
      return a + b;
    case BinaryKind::kSubtract:
      return a - b;
    case BinaryKind::kMultiply:
      return a * b;
    case BinaryKind::kDivide:
      return a / b;
    case BinaryKind::kMinimum:
      return std::min(a, b);
    case BinaryKind::kMaximum:
      return std::max(a, b);
    default:
      return std::pow(a, b);
  }
}

/// Cut off, as ONNX and C do.
template <class Element>
Element quotient(const Call& call, Element a, Element b) {
  if (call.op.arithmetic != Arithmetic::kOnnx) {
    call.unsupported("division of integers without a scale");
  }
  if (b == 0) {
    call.unsupported("a division of an integer by 0");
  }
  return b == static_cast<Element>(-1) && std::is_signed_v<Element> ? static_cast<Element>(0 - static_cast<std::uint64_t>(a)) : static_cast<Element>(a / b);
}

template <class Element, class Unsigned>
Element power(const Call& call, Element base, Element exponent) {
  if (call.op.arithmetic != Arithmetic::kOnnx) {
    call.unsupported("powers of integers without a scale");
  }
  if (exponent < 0) {
    call.unsupported("an integer to a negative power");
  }
  std::uint64_t result = 1;
  std::uint64_t square = static_cast<std::uint64_t>(base);
  for (auto left = static_cast<std::uint64_t>(exponent); left != 0; left >>= 1) {
    result *= (left & 1) != 0 ? square : 1;
    square *= square;
  }
  return static_cast<Element>(result);
}

/// Integers wrap; Unsigned is as wide as they are.
template <class Element, class Unsigned>
Element combine(const Call& call, BinaryKind kind, Element a, Element b) {
  switch (kind) {
    case BinaryKind::kAdd:
      return static_cast<Element>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    case BinaryKind::kSubtract:
      return static_cast<Element>(static_cast<Unsigned>(a) - static_cast<Unsigned>(b));
    case BinaryKind::kMultiply:
      return static_cast<Element>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));  // wider: words are promoted to int
    case BinaryKind::kMinimum:
      return std::min(a, b);
    case BinaryKind::kMaximum:
      return std::max(a, b);
    case BinaryKind::kDivide:
      return quotient(call, a, b);
    case BinaryKind::kPower:
      return power<Element, Unsigned>(call, a, b);
  }
  return a;
}

template <class Element, class Unsigned>
Value binary(const Call& call, const Binary& op) {
  const Tensor& output = call.output_tensor();
  const auto lhs = elements<Element>(broadcast_to(call.input(0), output.shape));
  const auto rhs = elements<Element>(broadcast_to(call.input(1), output.shape));
  std::vector<Element> result(lhs.size());
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    if constexpr (std::is_floating_point_v<Element>) {
      result[i] = static_cast<Element>(activated(combine(op.kind, double{lhs[i]}, double{rhs[i]}), op.activation));
    } else {
      const Element value = combine<Element, Unsigned>(call, op.kind, lhs[i], rhs[i]);
      result[i] = op.activation == Activation::kNone ? value : static_cast<Element>(activated(static_cast<double>(value), op.activation));
    }
  }
  return make_value(output.type, output.shape, result);
}

/// What integers without a scale have of the functions.
template <class Element>
Value integer_unary(const Call& call, const Unary& op) {
  auto values = elements<Element>(call.input(0));
  for (Element& value : values) {
    switch (op.kind) {
      case UnaryKind::kIdentity:
        break;
      case UnaryKind::kRelu:
        value = std::max(value, Element{0});
        break;
      case UnaryKind::kRelu6:
        value = std::clamp(value, Element{0}, Element{6});
        break;
      case UnaryKind::kSign:
        value = static_cast<Element>((value > 0) - (value < 0));
        break;
      case UnaryKind::kAbs:
        value = value < 0 ? static_cast<Element>(0 - static_cast<std::uint64_t>(value)) : value;
        break;
      case UnaryKind::kNegate:
        value = static_cast<Element>(0 - static_cast<std::uint64_t>(value));
        break;
      default:
        call.unsupported(std::string(name_of(op.kind)).append(" of integers without a scale"));
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
    case UnaryKind::kRelu:
      return std::max(x, 0.0);
    case UnaryKind::kRelu6:
      return std::clamp(x, 0.0, 6.0);
    case UnaryKind::kClip:
      return std::min(std::max(x, alpha), beta);
    case UnaryKind::kLeakyRelu:
      return x > 0 ? x : alpha * x;
    case UnaryKind::kElu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case UnaryKind::kHardSigmoid:
      return std::clamp(alpha * x + beta, 0.0, 1.0);
    case UnaryKind::kHardSwish:
      return x * std::clamp(x + 3.0, 0.0, 6.0) / 6.0;
    case UnaryKind::kSigmoid:
      return sigmoid(x);
    case UnaryKind::kTanh:
      return std::tanh(x);
    case UnaryKind::kGelu:
      return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
    case UnaryKind::kSoftplus:
      return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
    case UnaryKind::kAbs:
      return std::abs(x);
    case UnaryKind::kNegate:
      return -x;
    case UnaryKind::kExp:
      return std::exp(x);
    case UnaryKind::kLog:
      return std::log(x);
    case UnaryKind::kSqrt:
      return std::sqrt(x);
    case UnaryKind::kReciprocal:
      return 1.0 / x;
    case UnaryKind::kFloor:
      return std::floor(x);
    case UnaryKind::kCeil:
      return std::ceil(x);
    case UnaryKind::kRound:
      return round_to_even(x);
    case UnaryKind::kSign:
      return static_cast<double>((x > 0) - (x < 0));
    case UnaryKind::kErf:
      return std::erf(x);
    case UnaryKind::kSin:
      return std::sin(x);
    case UnaryKind::kCos:
      return std::cos(x);
    case UnaryKind::kIdentity:
      return x;
  }
  return x;
}

Value run_plain(const Call& call, const Binary& op) {
  switch (call.input(0).type) {
    case ElementType::kFloat32:
      return binary<float, float>(call, op);
    case ElementType::kInt32:
      return binary<std::int32_t, std::uint32_t>(call, op);
    case ElementType::kInt64:
      return binary<std::int64_t, std::uint64_t>(call, op);
    case ElementType::kInt8:
      return binary<std::int8_t, std::uint8_t>(call, op);
    case ElementType::kUint8:
      return binary<std::uint8_t, std::uint8_t>(call, op);
    case ElementType::kInt16:
      return binary<std::int16_t, std::uint16_t>(call, op);
    case ElementType::kUint16:
      return binary<std::uint16_t, std::uint16_t>(call, op);
    case ElementType::kFloat64:
      return binary<double, double>(call, op);
    default:
      call.unsupported("numbers are supported");
  }
}

namespace {

template <class Element>
Value real_unary(const Call& call, const Unary& op) {
  auto values = elements<Element>(call.input(0));
  for (Element& value : values) {
    value = static_cast<Element>(apply(op, static_cast<double>(value)));
  }
  return make_value(call.input(0).type, call.output_tensor().shape, values);
}

}  // namespace

Value run_plain(const Call& call, const Unary& op) {
  switch (call.input(0).type) {
    case ElementType::kFloat32:
      return real_unary<float>(call, op);
    case ElementType::kFloat64:
      return real_unary<double>(call, op);
    case ElementType::kInt8:
      return integer_unary<std::int8_t>(call, op);
    case ElementType::kUint8:
      return integer_unary<std::uint8_t>(call, op);
    case ElementType::kInt16:
      return integer_unary<std::int16_t>(call, op);
    case ElementType::kUint16:
      return integer_unary<std::uint16_t>(call, op);
    case ElementType::kInt32:
      return integer_unary<std::int32_t>(call, op);
    case ElementType::kInt64:
      return integer_unary<std::int64_t>(call, op);
    default:
      call.unsupported("numbers are supported");
  }
}

}  // namespace systole::graph
