// SPDX-License-Identifier: Apache-2.0
// Functions of real numbers that <cmath> lacks, in double. Their errors are far below the last digit of binary32.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

namespace systole::graph {

/// The derivative of log gamma, by its asymptotic series from 10 on, and below by digamma(x) = digamma(x + 1) - 1 / x.
/// Below 0 by reflection: digamma(1 - x) - pi / tan(pi x). (Abramowitz and Stegun, 6.3.5, 6.3.7, 6.3.18.)
inline double digamma(double x) {
  if (x == 0 || (x < 0 && x == std::floor(x))) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (x < 0) {
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * x);
  }
  double below = 0;
  for (; x < 10; x += 1) {
    below += 1 / x;
  }
  const double r = 1 / (x * x);
  const double series =
      r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * 691.0 / 32760)))));
  return std::log(x) - 0.5 / x - series - below;
}

/// The x whose error function is y, by Halley's steps from a formula of Winitzki's, which is right to 0.002. The steps
/// take erfc() where erf() would lose digits.
inline double inverse_erf(double y) {
  if (!(std::abs(y) < 1)) {
    return std::abs(y) == 1 ? std::copysign(std::numeric_limits<double>::infinity(), y)
                            : std::numeric_limits<double>::quiet_NaN();
  }
  const double size = std::abs(y);
  constexpr double kA = 0.147;
  const double l = std::log1p(-size * size), b = 2 / (std::numbers::pi * kA) + l / 2;
  double x = std::sqrt(std::sqrt(b * b - l / kA) - b);
  for (int step = 0; step < 3 && x > 0; ++step) {
    const double off = size < 0.5 ? std::erf(x) - size : (1 - size) - std::erfc(x);
    const double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    x -= off / (slope + off * x);
  }
  return std::copysign(x, y);
}

}  // namespace systole::graph
