// SPDX-License-Identifier: Apache-2.0
// Words of 32 bits with the arithmetic of the vector processor. A function of numbers is a template over such a pair of
// types, a binary32 type F and the integers F::Int: for F32 its result is the golden value, for the types of the
// compiler's expressions it is a kernel.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "binary32.hpp"

namespace systole::golden::functions {

/// 32 bits as an integer, which wraps.
struct I32 {
  // NOLINTNEXTLINE(google-explicit-constructor): formulas have constants
  constexpr I32(std::int32_t number) : word(static_cast<std::uint32_t>(number)) {}
  static constexpr I32 of_bits(std::uint32_t bits) { return {static_cast<std::int32_t>(bits)}; }
  std::int32_t number() const { return static_cast<std::int32_t>(word); }

  std::uint32_t word;
};

/// 32 bits as binary32.
struct F32 {
  using Int = I32;
  // NOLINTNEXTLINE(google-explicit-constructor): formulas have constants
  constexpr F32(float number) : value(number) {}

  float value;
};

inline I32 operator+(I32 a, I32 b) { return I32::of_bits(a.word + b.word); }
inline I32 operator-(I32 a, I32 b) { return I32::of_bits(a.word - b.word); }
inline I32 operator*(I32 a, I32 b) { return I32::of_bits(a.word * b.word); }
inline I32 operator&(I32 a, I32 b) { return I32::of_bits(a.word & b.word); }
inline I32 operator|(I32 a, I32 b) { return I32::of_bits(a.word | b.word); }
inline I32 operator^(I32 a, I32 b) { return I32::of_bits(a.word ^ b.word); }

/// Shifts are by 0 to 31 bits; the nearest of these counts.
inline int shift_amount(I32 b) { return b.number() < 0 ? 0 : b.number() > 31 ? 31 : b.number(); }
inline I32 operator<<(I32 a, I32 b) { return I32::of_bits(a.word << shift_amount(b)); }
/// Keeps the sign.
inline I32 operator>>(I32 a, I32 b) { return {a.number() >> shift_amount(b)}; }
inline I32 shift_logical(I32 a, I32 b) { return I32::of_bits(a.word >> shift_amount(b)); }

/// All bits are ones where it holds, else zeros.
inline I32 less(I32 a, I32 b) { return {-static_cast<int>(a.number() < b.number())}; }
inline I32 equal(I32 a, I32 b) { return {-static_cast<int>(a.word == b.word)}; }

/// Leading zeros; 32 for 0.
inline I32 count_zeros(I32 a) { return {std::countl_zero(a.word)}; }

inline F32 operator+(F32 a, F32 b) { return binary32::add(a.value, b.value); }
inline F32 operator-(F32 a, F32 b) { return binary32::subtract(a.value, b.value); }
inline F32 operator*(F32 a, F32 b) { return binary32::multiply(a.value, b.value); }
inline F32 minimum(F32 a, F32 b) { return binary32::minimum(a.value, b.value); }
inline F32 maximum(F32 a, F32 b) { return binary32::maximum(a.value, b.value); }
inline I32 less(F32 a, F32 b) { return {-static_cast<int>(binary32::less(a.value, b.value))}; }

inline I32 to_int(F32 a) { return {binary32::to_int(a.value)}; }
inline F32 to_float(I32 a) { return {static_cast<float>(a.number())}; }
inline I32 as_int(F32 a) { return I32::of_bits(std::bit_cast<std::uint32_t>(a.value)); }
inline F32 as_float(I32 a) { return {std::bit_cast<float>(a.word)}; }

/// By definition, not by steps.
inline F32 divide(F32 a, F32 b) { return binary32::divide(a.value, b.value); }
inline F32 square_root(F32 a) { return binary32::square_root(a.value); }

/// `a` where all bits of `where` are ones, `b` where they are zeros.
template <class I>
I select(const I& where, const I& a, const I& b) {
  return ((a ^ b) & where) ^ b;
}
template <class F>
F select_float(const typename F::Int& where, const F& a, const F& b) {
  return as_float(select(where, as_int(a), as_int(b)));
}

constexpr std::int32_t kSignBit = INT32_MIN, kMagnitude = INT32_MAX;
constexpr std::int32_t kInfinityBits = 0x7f800000, kNanBits = 0x7fc00000;
constexpr int kFractionBits = 23, kExponentBias = 127;

/// Bits are changed, numbers are not: also of subnormals and of every NaN.
template <class F>
F negative(const F& a) {
  return as_float(as_int(a) ^ kSignBit);
}
template <class F>
F absolute(const F& a) {
  return as_float(as_int(a) & kMagnitude);
}
template <class F>
typename F::Int is_nan(const F& a) {
  return less(typename F::Int(kInfinityBits), as_int(a) & kMagnitude);
}

/// 2^exponent, of an exponent from -126 to 127; 0 for -127.
template <class F>
F power_of_two(const typename F::Int& exponent) {
  return as_float((exponent + kExponentBias) << kFractionBits);
}

/// Horner's scheme, the highest coefficient first.
template <class F, std::size_t kCount>
F polynomial(const F& x, const float (&coefficients)[kCount]) {
  F sum = x * coefficients[0];
  for (std::size_t i = 1; i + 1 < kCount; ++i) {
    sum = (sum + coefficients[i]) * x;
  }
  return sum + coefficients[kCount - 1];
}

}  // namespace systole::golden::functions
