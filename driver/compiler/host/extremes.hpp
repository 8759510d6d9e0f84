// SPDX-License-Identifier: Apache-2.0
// The lesser and the greater of two elements, NaN if one of them is a NaN; and the rest of a division.
#pragma once

#include <cmath>
#include <type_traits>

namespace systole::graph {

template <class Number>
bool is_nan(Number value) {
  if constexpr (std::is_floating_point_v<Number>) {
    return std::isnan(value);
  } else {
    return false;
  }
}

template <class Number>
Number lesser(Number a, Number b) {
  return is_nan(a) || a < b ? a : b;
}

template <class Number>
Number greater(Number a, Number b) {
  return is_nan(a) || b < a ? a : b;
}

/// With the sign of the divisor.
inline double modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace systole::graph
