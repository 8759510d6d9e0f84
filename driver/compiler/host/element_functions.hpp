// SPDX-License-Identifier: Apache-2.0
// Generated from driver/compiler/graph/kinds.toml by scripts/gen/generate. Do not edit.
// clang-format off
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include "extremes.hpp"
#include "special_functions.hpp"
#include "functions/error_function.hpp"
#include "functions/exponential.hpp"
#include "functions/logarithm.hpp"
#include "functions/near.hpp"
#include "functions/nonlinearities.hpp"
#include "functions/number_formats.hpp"
#include "functions/power.hpp"
#include "functions/quotient.hpp"
#include "functions/rounding.hpp"
#include "functions/sums.hpp"
#include "functions/words.hpp"
#include "systole/graph.hpp"

namespace systole::graph {

/// The function of words F, as those of sim/golden/functions; nothing if it has no formula.
template <class F>
std::optional<F> formula_of(UnaryKind kind, [[maybe_unused]] const F& x, [[maybe_unused]] const F& alpha, [[maybe_unused]] const F& beta) {
  using namespace golden::functions;
  switch (kind) {
    case UnaryKind::kRelu: return maximum(x, F(0.0F));
    case UnaryKind::kRelu6: return minimum(maximum(x, F(0.0F)), F(6.0F));
    case UnaryKind::kClip: return minimum(maximum(x, alpha), beta);
    case UnaryKind::kLeakyRelu: return leaky_relu(x, alpha);
    case UnaryKind::kElu: return elu(x, alpha);
    case UnaryKind::kHardSigmoid: return linear(x, alpha, beta, F(0.0F), F(1.0F));
    case UnaryKind::kHardSwish: return x * linear(x, F(1.0F / 6), F(0.5F), F(0.0F), F(1.0F));
    case UnaryKind::kSigmoid: return sigmoid(x);
    case UnaryKind::kTanh: return tanh(x);
    case UnaryKind::kGelu: return gelu(x);
    case UnaryKind::kSoftplus: return softplus(x);
    case UnaryKind::kAbs: return absolute(x);
    case UnaryKind::kNegate: return negative(x);
    case UnaryKind::kExp: return exponential(x);
    case UnaryKind::kLog: return logarithm(x);
    case UnaryKind::kSqrt: return square_root(x);
    case UnaryKind::kReciprocal: return divide(F(1.0F), x);
    case UnaryKind::kFloor: return next_below(x);
    case UnaryKind::kCeil: return next_above(x);
    case UnaryKind::kRound: return nearest(x);
    case UnaryKind::kSign: return sign(x);
    case UnaryKind::kErf: return error_function(x);
    case UnaryKind::kReciprocalSqrt: return divide(F(1.0F), square_root(x));
    case UnaryKind::kExpm1: return expm1(x);
    case UnaryKind::kLog1p: return log1p(x);
    default: return std::nullopt;
  }
}

template <class F>
std::optional<F> near_formula_of(UnaryKind kind, [[maybe_unused]] const F& x) {
  using namespace golden::functions;
  switch (kind) {
    case UnaryKind::kSigmoid: return near_sigmoid(x);
    case UnaryKind::kSqrt: return near_root(x);
    case UnaryKind::kReciprocalSqrt: return near_reciprocal_root(x);
    default: return std::nullopt;
  }
}

/// The function of real numbers.
inline double real_function(UnaryKind kind, [[maybe_unused]] double x, [[maybe_unused]] double alpha, [[maybe_unused]] double beta) {
  switch (kind) {
    case UnaryKind::kRelu: return std::max(x, 0.0);
    case UnaryKind::kRelu6: return std::clamp(x, 0.0, 6.0);
    case UnaryKind::kClip: return std::min(std::max(x, alpha), beta);
    case UnaryKind::kLeakyRelu: return x > 0 ? x : alpha * x;
    case UnaryKind::kElu: return x < 0 ? alpha * std::expm1(x) : x;
    case UnaryKind::kHardSigmoid: return std::clamp(alpha * x + beta, 0.0, 1.0);
    case UnaryKind::kHardSwish: return x * (std::clamp(x + 3.0, 0.0, 6.0) / 6.0);
    case UnaryKind::kSigmoid: return 1.0 / (1.0 + std::exp(-x));
    case UnaryKind::kTanh: return std::tanh(x);
    case UnaryKind::kGelu: return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
    case UnaryKind::kSoftplus: return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
    case UnaryKind::kAbs: return std::abs(x);
    case UnaryKind::kNegate: return -x;
    case UnaryKind::kExp: return std::exp(x);
    case UnaryKind::kLog: return std::log(x);
    case UnaryKind::kSqrt: return std::sqrt(x);
    case UnaryKind::kReciprocal: return 1.0 / x;
    case UnaryKind::kFloor: return std::floor(x);
    case UnaryKind::kCeil: return std::ceil(x);
    case UnaryKind::kRound: return std::nearbyint(x);
    case UnaryKind::kSign: return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0));
    case UnaryKind::kErf: return std::erf(x);
    case UnaryKind::kSin: return std::sin(x);
    case UnaryKind::kCos: return std::cos(x);
    case UnaryKind::kIdentity: return x;
    case UnaryKind::kTan: return std::tan(x);
    case UnaryKind::kAcos: return std::acos(x);
    case UnaryKind::kAsin: return std::asin(x);
    case UnaryKind::kAtan: return std::atan(x);
    case UnaryKind::kSinh: return std::sinh(x);
    case UnaryKind::kCosh: return std::cosh(x);
    case UnaryKind::kAcosh: return std::acosh(x);
    case UnaryKind::kAsinh: return std::asinh(x);
    case UnaryKind::kAtanh: return std::atanh(x);
    case UnaryKind::kNot: return x;
    case UnaryKind::kIsNan: return x;
    case UnaryKind::kIsInfinite: return x;
    case UnaryKind::kReciprocalSqrt: return 1.0 / std::sqrt(x);
    case UnaryKind::kExpm1: return std::expm1(x);
    case UnaryKind::kLog1p: return std::log1p(x);
    case UnaryKind::kCbrt: return std::cbrt(x);
    case UnaryKind::kLogGamma: return std::lgamma(x);
    case UnaryKind::kDigamma: return digamma(x);
    case UnaryKind::kInverseErf: return inverse_erf(x);
    case UnaryKind::kComplementaryErf: return std::erfc(x);
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

/// The function of words F, as those of sim/golden/functions; nothing if it has no formula.
template <class F>
std::optional<F> formula_of(BinaryKind kind, [[maybe_unused]] const F& a, [[maybe_unused]] const F& b) {
  using namespace golden::functions;
  switch (kind) {
    case BinaryKind::kAdd: return a + b;
    case BinaryKind::kSubtract: return a - b;
    case BinaryKind::kMultiply: return a * b;
    case BinaryKind::kDivide: return divide(a, b);
    case BinaryKind::kMinimum: return minimum(a, b);
    case BinaryKind::kMaximum: return maximum(a, b);
    case BinaryKind::kPower: return power(a, b);
    case BinaryKind::kSquaredDifference: return (a - b) * (a - b);
    case BinaryKind::kStraightThrough: return a;
    default: return std::nullopt;
  }
}

template <class F>
std::optional<F> near_formula_of(BinaryKind kind, [[maybe_unused]] const F& a, [[maybe_unused]] const F& b) {
  using namespace golden::functions;
  switch (kind) {
    case BinaryKind::kDivide: return near_quotient(a, b);
    default: return std::nullopt;
  }
}

/// The function of real numbers.
inline double real_function(BinaryKind kind, [[maybe_unused]] double a, [[maybe_unused]] double b) {
  switch (kind) {
    case BinaryKind::kAdd: return a + b;
    case BinaryKind::kSubtract: return a - b;
    case BinaryKind::kMultiply: return a * b;
    case BinaryKind::kDivide: return a / b;
    case BinaryKind::kMinimum: return lesser(a, b);
    case BinaryKind::kMaximum: return greater(a, b);
    case BinaryKind::kPower: return std::pow(a, b);
    case BinaryKind::kModulo: return modulo(a, b);
    case BinaryKind::kRemainder: return std::fmod(a, b);
    case BinaryKind::kFloorDivide: return std::floor(a / b);
    case BinaryKind::kSquaredDifference: return (a - b) * (a - b);
    case BinaryKind::kPrelu: return a >= 0 ? a : a * b;
    case BinaryKind::kStraightThrough: return a;
    case BinaryKind::kAtan2: return std::atan2(a, b);
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace systole::graph
