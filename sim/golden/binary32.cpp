// SPDX-License-Identifier: Apache-2.0
#include "binary32.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace systole::golden::binary32 {
namespace {

constexpr std::uint32_t kSign = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fc00000;
constexpr float kInfinite = std::numeric_limits<float>::infinity();

std::uint32_t bits(float a) { return std::bit_cast<std::uint32_t>(a); }
float number(std::uint32_t word) { return std::bit_cast<float>(word); }

/// Subnormal operands count as zeros.
float operand(float a) { return (bits(a) & kInfinity) == 0 ? number(bits(a) & kSign) : a; }

/// A result that binary64 holds exactly, or so precisely that a second rounding is right.
float rounded(double exact) {
  constexpr double kLeast = 0x1p-126 * (1 - 0x1p-25);  // is rounded up to 2^-126 if the exponent is unbounded
  if (std::isnan(exact)) {
    return number(kNan);
  }
  return std::fabs(exact) < kLeast ? std::copysign(0.0F, static_cast<float>(exact)) : static_cast<float>(exact);
}

/// Where no operand is subnormal, and the result is none and not next to them, the host's own arithmetic gives it.
bool is_usual(float a) { return (bits(a) & kInfinity) - (2U << 23) < (kInfinity - (2U << 23)); }
bool is_plain(float a) { return (bits(a) & kInfinity) != 0 || a == 0; }
bool is_plain_result(float sum) { return is_usual(sum) || sum == 0; }
[[gnu::noinline]] float any_sum(float a, float b) { return rounded(double{operand(a)} + double{operand(b)}); }
[[gnu::noinline]] float any_product(float a, float b) { return rounded(double{operand(a)} * double{operand(b)}); }

float power_of_two(std::int32_t exponent) { return number(static_cast<std::uint32_t>(exponent + 127) << 23); }

/// Horner's scheme, the highest coefficient first.
template <std::size_t kCount>
float polynomial(float x, const std::array<float, kCount>& coefficients) {
  float sum = multiply(x, coefficients[0]);
  for (std::size_t i = 1; i + 1 < kCount; ++i) {
    sum = multiply(add(sum, coefficients[i]), x);
  }
  return add(sum, coefficients[kCount - 1]);
}

/// x as k log(2) + rest.
struct Reduced {
  std::int32_t k;
  float rest;
};

constexpr float kLog2High = 0.693359375F, kLog2Low = -2.12194440e-4F;

Reduced reduced(float x) {
  constexpr float kLog2Inverse = 1.44269504088896341F;
  const std::int32_t k = to_int(multiply(x, kLog2Inverse));
  const auto steps = static_cast<float>(k);
  return {k, subtract(subtract(x, multiply(steps, kLog2High)), multiply(steps, kLog2Low))};
}

/// exp(rest) - 1 - rest, of a rest of at most log(2) / 2.
float tail(float rest) {
  constexpr std::array<float, 6> kExponential = {1.9875691500e-4F, 1.3981999507e-3F, 8.3334519073e-3F,
                                                 4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F};
  return multiply(polynomial(rest, kExponential), multiply(rest, rest));
}

}  // namespace

float add(float a, float b) {
  const float sum = a + b;
  return is_plain(a) && is_plain(b) && is_plain_result(sum) ? sum : any_sum(a, b);
}

float subtract(float a, float b) { return add(a, negative(b)); }

float multiply(float a, float b) {
  const float product = a * b;
  const bool exact_zero = product == 0 && (a == 0 || b == 0);
  return is_plain(a) && is_plain(b) && (is_usual(product) || exact_zero) ? product : any_product(a, b);
}

float divide(float a, float b) { return rounded(double{operand(a)} / double{operand(b)}); }
float square_root(float a) { return rounded(std::sqrt(double{operand(a)})); }

bool less(float a, float b) { return operand(a) < operand(b); }
bool less_or_equal(float a, float b) { return operand(a) <= operand(b); }
bool equal(float a, float b) { return operand(a) == operand(b); }

float minimum(float a, float b) {
  const float x = operand(a), y = operand(b);
  return std::isnan(x) || std::isnan(y) ? number(kNan) : x < y || (x == y && std::signbit(x)) ? x : y;
}

float maximum(float a, float b) {
  const float x = operand(a), y = operand(b);
  return std::isnan(x) || std::isnan(y) ? number(kNan) : x > y || (x == y && std::signbit(y)) ? x : y;
}

std::int32_t to_int(float a) {
  return std::isnan(a) ? 0
                       : static_cast<std::int32_t>(std::clamp(std::nearbyint(double{operand(a)}), -0x1p31, 0x1p31 - 1));
}

float absolute(float a) { return number(bits(a) & ~kSign); }
float negative(float a) { return number(bits(a) ^ kSign); }
float sign(float a) { return linear(a, {kSignFactor, 0, -1, 1}); }

float floor(float a) { return rounded(std::floor(double{operand(a)})); }
float ceil(float a) { return rounded(std::ceil(double{operand(a)})); }
float round(float a) { return rounded(std::nearbyint(double{operand(a)})); }

float linear(float a, const Linear& by) {
  return minimum(maximum(add(multiply(a, by.factor), by.offset), by.low), by.high);
}

float exponential(float a) {
  constexpr float kLow = -88, kHigh = 89;  // beyond which the result is 0 or infinite
  const Reduced x = reduced(minimum(maximum(a, kLow), kHigh));
  const float mantissa = add(add(tail(x.rest), x.rest), 1);
  const std::int32_t half = x.k >> 1;
  return multiply(multiply(mantissa, power_of_two(half)), power_of_two(x.k - half));
}

float exponential_less_one(float a) {
  const Reduced x = reduced(maximum(minimum(a, 0), -88));
  const float power = power_of_two(x.k);
  return add(multiply(add(tail(x.rest), x.rest), power), subtract(power, 1));
}

float logarithm(float a) {
  constexpr std::uint32_t kRootOfHalf = 0x3f3504f3;
  constexpr std::array<float, 9> kLogarithm = {7.0376836292e-2F,  -1.1514610310e-1F, 1.1676998740e-1F,
                                               -1.2420140846e-1F, 1.4249322787e-1F,  -1.6668057665e-1F,
                                               2.0000714765e-1F,  -2.4999993993e-1F, 3.3333331174e-1F};
  if ((bits(a) & kInfinity) == 0) {
    return -kInfinite;
  }
  if ((bits(a) & kSign) != 0) {
    return number(kNan);
  }
  if (bits(a) >= kInfinity) {
    return add(a, a);
  }
  const std::int32_t exponent = static_cast<std::int32_t>(bits(a) - kRootOfHalf) >> 23;
  const float x = subtract(number(bits(a) - (static_cast<std::uint32_t>(exponent) << 23)), 1);
  const auto steps = static_cast<float>(exponent);
  const float square = multiply(x, x);
  float sum = multiply(multiply(polynomial(x, kLogarithm), x), square);
  sum = add(sum, multiply(steps, kLog2Low));
  sum = subtract(sum, multiply(square, 0.5F));
  return add(add(sum, x), multiply(steps, kLog2High));
}

void Sum::add(float a) {
  const float next = binary32::add(total_, a);
  const float part = subtract(next, total_);
  lost_ = binary32::add(lost_, binary32::add(subtract(total_, subtract(next, part)), subtract(a, part)));
  total_ = next;
}

float Sum::result() const { return std::isfinite(total_) ? binary32::add(total_, lost_) : total_; }

std::int64_t folded_at_once(std::int64_t count) {
  std::int64_t most = std::min<std::int64_t>(count, 64);
  while (count % most != 0) {
    --most;
  }
  return most == 1 ? count : most;
}

float sigmoid(float a) { return divide(1, add(exponential(negative(a)), 1)); }

float tanh(float a) {
  const float t = exponential_less_one(multiply(absolute(a), -2));
  return multiply(divide(t, add(t, 2)), sign(negative(a)));
}

float softplus(float a) { return add(maximum(a, 0), logarithm(add(exponential(negative(absolute(a))), 1))); }

float elu(float a, float alpha) { return add(maximum(a, 0), multiply(exponential_less_one(a), alpha)); }

float error_function(float a) {
  constexpr float kSmall = 0.927734375F;
  constexpr std::array<float, 6> kOfSmall = {-5.96761703e-4F, 4.99119423e-3F,  -2.67681349e-2F,
                                             1.12819925e-1F,  -3.76125336e-1F, 1.28379166e-1F};
  constexpr std::array<float, 3> kOfLarge = {-1.06777877e-1F, -6.34846687e-1F, -1.28717512e-1F};
  const float x = absolute(a), square = multiply(x, x);
  if (!less(kSmall, x)) {
    return add(multiply(polynomial(square, kOfSmall), a), a);
  }
  float exponent = multiply(add(multiply(x, -1.72853470e-5F), 3.83197126e-4F), square);
  exponent = add(exponent, add(multiply(x, -3.88396438e-3F), 2.42546219e-2F));
  for (const float coefficient : kOfLarge) {
    exponent = add(multiply(exponent, x), coefficient);
  }
  const float magnitude = absolute(exponential_less_one(subtract(multiply(exponent, x), x)));
  return std::copysign(magnitude, a);
}

float gelu(float a) {
  constexpr float kRootOfHalf = 0.70710678118654752F;
  return multiply(a, add(multiply(error_function(multiply(a, kRootOfHalf)), 0.5F), 0.5F));
}

}  // namespace systole::golden::binary32
