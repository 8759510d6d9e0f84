// SPDX-License-Identifier: Apache-2.0
// Binary arithmetic on unquantized elements: reals in double, rounded once; integers wrap.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "element_functions.hpp"
#include "element_visit.hpp"
#include "execute_binary32.hpp"
#include "float_ops.hpp"
#include "indices.hpp"

namespace systole::graph {
namespace {

void require_onnx(const Call& call, const char* what) {
  if (call.op.arithmetic != Arithmetic::kOnnx) {
    call.unsupported(std::string(what).append(" of integers without a scale"));
  }
}

/// Dividing the smallest integer by -1 would overflow.
template <class Element>
bool is_minus_one(Element value) {
  return std::is_signed_v<Element> && value == static_cast<Element>(-1);
}

/// Truncating division, as in ONNX and C.
template <class Element>
Element quotient(const Call& call, Element a, Element b) {
  require_onnx(call, "division");
  if (b == 0) {
    call.unsupported("integer division by 0");
  }
  return is_minus_one(b) ? static_cast<Element>(0 - static_cast<std::uint64_t>(a)) : static_cast<Element>(a / b);
}

template <class Element>
Element rest_of(const Call& call, Element a, Element b, bool sign_of_divisor) {
  if (b == 0) {
    call.unsupported("integer division by 0");
  }
  const auto rest = is_minus_one(b) ? Element{0} : static_cast<Element>(a % b);
  return sign_of_divisor && rest != 0 && (rest < 0) != (b < 0) ? static_cast<Element>(rest + b) : rest;
}

/// Rounds toward minus infinity.
template <class Element>
Element floor_quotient(const Call& call, Element a, Element b) {
  const Element rest = rest_of(call, a, b, true);
  if (is_minus_one(b)) {
    return static_cast<Element>(0 - static_cast<std::uint64_t>(a));
  }
  // Not (a - rest) / b: a - rest may overflow.
  return static_cast<Element>(a / b - ((a % b != rest) ? 1 : 0));
}

template <class Element>
Element power(const Call& call, Element base, Element exponent) {
  require_onnx(call, "powers");
  if (exponent < 0) {
    call.unsupported("an integer to a negative power");
  }
  std::uint64_t result = 1;
  auto square = static_cast<std::uint64_t>(base);
  for (auto left = static_cast<std::uint64_t>(exponent); left != 0; left >>= 1) {
    result *= (left & 1) != 0 ? square : 1;
    square *= square;
  }
  return static_cast<Element>(result);
}

/// Right shifts of signed elements keep the sign. Where `by` is negative or at least the element's width, all bits are
/// shifted out: the result is 0, or -1 to the right of a negative value.
template <class Element>
Element shifted(Element value, Element by, bool left) {
  const auto steps = static_cast<std::uint64_t>(by);
  if (steps >= std::numeric_limits<std::make_unsigned_t<Element>>::digits) {
    return !left && value < 0 ? static_cast<Element>(-1) : Element{0};
  }
  return left ? static_cast<Element>(static_cast<std::uint64_t>(value) << steps) : static_cast<Element>(value >> steps);
}

/// Computed in 64 bits; the low bits are right for every width.
template <class Element>
Element combine(const Call& call, BinaryKind kind, Element a, Element b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  switch (kind) {
    case BinaryKind::kAdd: return static_cast<Element>(x + y);
    case BinaryKind::kSubtract: return static_cast<Element>(x - y);
    case BinaryKind::kMultiply: return static_cast<Element>(x * y);
    case BinaryKind::kMinimum: return std::min(a, b);
    case BinaryKind::kMaximum: return std::max(a, b);
    case BinaryKind::kDivide: return quotient(call, a, b);
    case BinaryKind::kPower: return power(call, a, b);
    case BinaryKind::kSquaredDifference: return static_cast<Element>((x - y) * (x - y));
    case BinaryKind::kPrelu: return a < 0 ? static_cast<Element>(x * y) : a;
    case BinaryKind::kStraightThrough: return a;
    case BinaryKind::kFloorDivide: return floor_quotient(call, a, b);
    case BinaryKind::kModulo:
    case BinaryKind::kRemainder: return rest_of(call, a, b, kind == BinaryKind::kModulo);
    case BinaryKind::kShiftLeft:
    case BinaryKind::kShiftRight: return shifted(a, b, kind == BinaryKind::kShiftLeft);
    case BinaryKind::kAnd: return static_cast<Element>(x & y);
    case BinaryKind::kOr: return static_cast<Element>(x | y);
    case BinaryKind::kXor: return static_cast<Element>(x ^ y);
    default: call.unsupported(std::string(name_of(kind)).append(" of integers without a scale"));
  }
}

template <class Element>
Value binary(const Call& call, const Binary& op) {
  const Tensor& output = call.output_tensor();
  const auto lhs = elements<Element>(broadcast_to(call.input(0), output.shape));
  const auto rhs = elements<Element>(broadcast_to(call.input(1), output.shape));
  std::vector<Element> result(lhs.size());
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    if constexpr (kIsReal<Element>) {
      result[i] = static_cast<Element>(
          activated(real_function(op.kind, static_cast<double>(lhs[i]), static_cast<double>(rhs[i])), op.activation));
    } else {
      const Element value = combine<Element>(call, op.kind, lhs[i], rhs[i]);
      result[i] = op.activation == Activation::kNone
                      ? value
                      : static_cast<Element>(activated(static_cast<double>(value), op.activation));
    }
  }
  return make_value(output.type, output.shape, result);
}

bool is_of_bits(BinaryKind kind) {
  return kind == BinaryKind::kShiftLeft || kind == BinaryKind::kShiftRight || kind == BinaryKind::kAnd ||
         kind == BinaryKind::kOr || kind == BinaryKind::kXor;
}

}  // namespace

Value run_plain(const Call& call, const Binary& op) {
  if (auto value = in_binary32(call, op)) {
    return std::move(*value);
  }
  if (call.output_tensor().type == ElementType::kBool) {
    return run_test(call, op);
  }
  if (call.input(0).type == ElementType::kBool) {
    call.unsupported("only numbers are supported");
  }
  return with_element(call.input(0).type, [&](auto element) {
    if (kIsReal<decltype(element)> && is_of_bits(op.kind)) {
      call.unsupported("only integers have bits to combine or to shift");
    }
    return binary<decltype(element)>(call, op);
  });
}

}  // namespace systole::graph
