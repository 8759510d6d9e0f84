// SPDX-License-Identifier: Apache-2.0
// Reports where a computed tensor differs from the expected one.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "element_visit.hpp"

namespace systole::test {

/// Allowed difference of a real number: absolute + relative * |expected|. Integers, infinities and NaN must be equal.
struct Tolerance {
  double absolute = 0, relative = 0;
};

template <class Element>
bool within(Element result, Element expected, const Tolerance& tolerance) {
  if constexpr (graph::kIsReal<Element>) {
    const auto x = static_cast<double>(result);
    const auto y = static_cast<double>(expected);
    const double distance = std::abs(x - y);
    // Of an expected infinity the tolerance is infinite, too, and would let every number pass.
    return x == y || (std::isnan(x) && std::isnan(y)) ||
           (std::isfinite(distance) && distance <= tolerance.absolute + tolerance.relative * std::abs(y));
  } else {
    return result == expected;
  }
}

/// The first difference as text; empty if there is none.
inline std::string difference(const graph::Value& result, const graph::Value& expected,
                              const Tolerance& tolerance = {}) {
  if (result.type != expected.type || result.shape != expected.shape) {
    return fmt::format("a result {} {}, expected {} {}", graph::to_string(result.shape), graph::name_of(result.type),
                       graph::to_string(expected.shape), graph::name_of(expected.type));
  }
  return graph::with_element(result.type, [&](auto element) -> std::string {
    const auto a = graph::elements<decltype(element)>(result);
    const auto b = graph::elements<decltype(element)>(expected);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!within(a[i], b[i], tolerance)) {
        return fmt::format("element {} is {}, expected {}", i, static_cast<double>(a[i]), static_cast<double>(b[i]));
      }
    }
    return {};
  });
}

}  // namespace systole::test
