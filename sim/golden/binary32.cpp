// SPDX-License-Identifier: Apache-2.0
#include "binary32.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "functions/error_function.hpp"
#include "functions/nonlinearities.hpp"
#include "functions/sums.hpp"

namespace systole::golden::binary32 {
namespace {

using functions::F32;

constexpr std::uint32_t kSign = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fc00000;

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

float negative(float a) { return number(bits(a) ^ kSign); }

float floor(float a) { return rounded(std::floor(double{operand(a)})); }
float ceil(float a) { return rounded(std::ceil(double{operand(a)})); }
float round(float a) { return rounded(std::nearbyint(double{operand(a)})); }

float exponential(float a) { return functions::exponential(F32(a)).value; }
float exponential_less_one(float a) { return functions::exponential_less_one(F32(a)).value; }
float logarithm(float a) { return functions::logarithm(F32(a)).value; }

void Sum::add(float a) {
  const auto sum = functions::with_next<F32>({total_, lost_}, a);
  total_ = sum.total.value;
  lost_ = sum.lost.value;
}

float Sum::result() const { return functions::result_of<F32>({total_, lost_}).value; }

std::int64_t folded_at_once(std::int64_t count) {
  std::int64_t most = std::min<std::int64_t>(count, 64);
  while (count % most != 0) {
    --most;
  }
  return most == 1 ? count : most;
}

float sigmoid(float a) { return functions::sigmoid(F32(a)).value; }
float tanh(float a) { return functions::tanh(F32(a)).value; }
float softplus(float a) { return functions::softplus(F32(a)).value; }
float gelu(float a) { return functions::gelu(F32(a)).value; }

}  // namespace systole::golden::binary32
