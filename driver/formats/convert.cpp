// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "element_visit.hpp"
#include "npy.hpp"

namespace systole::npy {
namespace {

/// Empty if the target type cannot represent the value; every real type represents NaN.
template <class To, class From>
std::optional<To> exactly(From value) {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    return std::in_range<To>(value) ? std::optional(static_cast<To>(value)) : std::nullopt;
  } else {
    const auto real = static_cast<double>(value);  // integers beyond 2^53 are rounded, and differ when converted back
    const To to = graph::cut_off<To>(real);
    const auto back = static_cast<double>(to);
    const bool same = back == real || (std::isnan(real) && std::isnan(back));
    if constexpr (std::is_integral_v<From>) {
      constexpr double kWhole = 9007199254740992.0;
      return same && std::abs(real) < kWhole ? std::optional(to) : std::nullopt;
    } else {
      return same ? std::optional(to) : std::nullopt;
    }
  }
}

}  // namespace

graph::Value as_type(const graph::Value& array, graph::ElementType type, const std::string& name) {
  return graph::with_element(array.type, [&](auto first) {
    return graph::with_element(type, [&](auto second) {
      using From = decltype(first);
      using To = decltype(second);
      const std::vector<From> values = graph::elements<From>(array);
      std::vector<To> result;
      result.reserve(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::optional<To> value = exactly<To>(values[i]);
        if (!value) {
          throw NpyError(fmt::format(
              "{}: is {}, and {} is wanted, which does not hold the value {} of element {}; save array.astype('{}')",
              name, graph::name_of(array.type), graph::name_of(type), static_cast<double>(values[i]), i,
              graph::name_of(type)));
        }
        result.push_back(*value);
      }
      return graph::make_value(type, array.shape, result);
    });
  });
}

}  // namespace systole::npy
