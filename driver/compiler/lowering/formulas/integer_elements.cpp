// SPDX-License-Identifier: Apache-2.0
#include "integer_elements.hpp"

#include <limits>

namespace systole::network {
namespace {

using I = compiler::IntWord;
using graph::BinaryKind;
using graph::ElementType;

bool is_unsigned(ElementType type) {
  return type == ElementType::kUint8 || type == ElementType::kUint16 || type == ElementType::kUint32;
}

/// Bits that are inverted in an element, so that it is a number: uint8 is stored as the int8 that is 128 less.
int stored_flip(ElementType type) { return type == ElementType::kUint8 ? -128 : 0; }
/// Bits that are inverted in elements, so that they are ordered as numbers with a sign.
int order_flip(ElementType type) {
  return type == ElementType::kUint16   ? -32768
         : type == ElementType::kUint32 ? std::numeric_limits<std::int32_t>::min()
                                        : 0;
}

/// An integer that wraps, as an element is stored.
I wrapped(const I& number, ElementType type) {
  constexpr int kLaneBits = 32, kByteBits = 8;
  const I shift = kLaneBits - static_cast<int>(graph::element_size(type)) * kByteBits;
  return (number << shift) >> shift ^ stored_flip(type);
}

/// A shift; from as many bits as a lane has on nothing is left, or the sign to the right of a negative number.
I shifted(BinaryKind kind, const I& a, const I& b, ElementType type) {
  constexpr int kLaneBits = 32, kByteBits = 8;
  const int bits = static_cast<int>(graph::element_size(type)) * kByteBits;
  if (kind == BinaryKind::kShiftRight && !is_unsigned(type)) {
    const I small = less(b, kLaneBits) ^ less(b, 0);
    return a >> ((b & small) | (I(kLaneBits - 1) & (small ^ -1)));
  }
  const I mask = bits == kLaneBits ? -1 : (1 << bits) - 1;
  const I x = (a ^ stored_flip(type)) & mask, y = (b ^ stored_flip(type)) & mask;
  const I in_range = less(y, kLaneBits) ^ less(y, 0);
  return wrapped((kind == BinaryKind::kShiftLeft ? x << y : shift_logical(x, y)) & in_range, type);
}

}  // namespace

std::optional<I> integer_formula(BinaryKind kind, ElementType type, const I& lhs, const I& rhs) {
  const I a = lhs ^ stored_flip(type), b = rhs ^ stored_flip(type);
  const int flip = order_flip(type);
  const I x = lhs ^ flip, y = rhs ^ flip;
  switch (kind) {
    case BinaryKind::kAdd: return wrapped(a + b, type);
    case BinaryKind::kSubtract: return wrapped(a - b, type);
    case BinaryKind::kMultiply: return wrapped(a * b, type);
    case BinaryKind::kMinimum: return minimum(x, y) ^ flip;
    case BinaryKind::kMaximum: return maximum(x, y) ^ flip;
    case BinaryKind::kEqual: return equal(lhs, rhs);
    case BinaryKind::kLess: return less(x, y);
    case BinaryKind::kLessOrEqual: return less(y, x) ^ -1;
    case BinaryKind::kShiftLeft:
    case BinaryKind::kShiftRight: return shifted(kind, lhs, rhs, type);
    case BinaryKind::kAnd: return wrapped(a & b, type);
    case BinaryKind::kOr: return wrapped(a | b, type);
    case BinaryKind::kXor: return wrapped(a ^ b, type);
    default: return std::nullopt;
  }
}

}  // namespace systole::network
