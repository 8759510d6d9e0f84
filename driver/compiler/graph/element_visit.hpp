// SPDX-License-Identifier: Apache-2.0
// Dispatch from a tensor's element type to a C++ type.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "small_floats.hpp"
#include "systole/graph_value.hpp"

namespace systole::graph {

/// Calls function(Element{}) with the C++ type of the elements; booleans are std::uint8_t, 0 or 1.
template <class Function>
auto with_element(ElementType type, Function function) {
  switch (type) {
    case ElementType::kInt8: return function(std::int8_t{});
    case ElementType::kUint8:
    case ElementType::kBool: return function(std::uint8_t{});
    case ElementType::kInt16: return function(std::int16_t{});
    case ElementType::kUint16: return function(std::uint16_t{});
    case ElementType::kInt32: return function(std::int32_t{});
    case ElementType::kUint32: return function(std::uint32_t{});
    case ElementType::kInt64: return function(std::int64_t{});
    case ElementType::kUint64: return function(std::uint64_t{});
    case ElementType::kFloat16: return function(Float16{});
    case ElementType::kBfloat16: return function(Bfloat16{});
    case ElementType::kFloat32: return function(float{});
    case ElementType::kFloat64: break;
  }
  return function(double{});
}

/// Whether elements of the C++ type are real numbers.
template <class Element>
inline constexpr bool kIsReal = !std::is_integral_v<Element>;

/// Converts a number to an element: integers saturate, fractions are truncated.
template <class Element>
Element cut_off(double value) {
  if constexpr (kIsReal<Element>) {
    return static_cast<Element>(value);
  } else {
    if (std::isnan(value)) {
      return 0;
    }
    // 2^digits is the first double that the type does not hold.
    if (value >= std::ldexp(1.0, std::numeric_limits<Element>::digits)) {
      return std::numeric_limits<Element>::max();
    }
    return value <= static_cast<double>(std::numeric_limits<Element>::min()) ? std::numeric_limits<Element>::min()
                                                                             : static_cast<Element>(value);
  }
}

}  // namespace systole::graph
