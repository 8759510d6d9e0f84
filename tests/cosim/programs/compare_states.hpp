// SPDX-License-Identifier: Apache-2.0
// Describes where two dumps (Session::dump()) differ.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "session.hpp"

namespace systole::programs {

inline std::string difference(const std::vector<std::uint8_t>& expected, const std::vector<std::uint8_t>& actual,
                              const Configuration& c) {
  if (expected == actual) return {};
  std::size_t at = 0, count = 0;
  for (std::size_t i = std::min(expected.size(), actual.size()); i-- > 0;) {
    if (expected[i] != actual[i]) at = i, ++count;
  }
  const auto dim = static_cast<std::size_t>(c.dim);
  const std::size_t scratch = kDataBytes, sums = scratch + static_cast<std::size_t>(c.scratch_end()) * dim;
  const auto row_of = [&](std::size_t from) { return (at - from) / dim; };
  const std::string place =
      at < scratch ? fmt::format("device address {:#x}", kData + at)
      : at < sums  ? fmt::format("scratchpad row {} byte {}", row_of(scratch), (at - scratch) % dim)
                   : fmt::format("accumulator row {} byte {}", row_of(sums) % static_cast<std::size_t>(c.acc_rows),
                                 row_of(sums) / static_cast<std::size_t>(c.acc_rows) * dim + (at - sums) % dim);
  return fmt::format("{} bytes differ, the first at {}: model {:#04x}, rtl {:#04x}", count, place, expected[at],
                     actual[at]);
}

}  // namespace systole::programs
