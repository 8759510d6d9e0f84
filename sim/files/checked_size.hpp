// SPDX-License-Identifier: Apache-2.0
// Sizes that a file's header states, multiplied without overflow.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace systole::files {

/// The product; empty if it exceeds `limit`. A factor of 0 makes it 0, whatever the others are.
inline std::optional<std::uint64_t> product_up_to(std::uint64_t limit, std::initializer_list<std::uint64_t> factors) {
  for (const std::uint64_t factor : factors) {
    if (factor == 0) {
      return 0;
    }
  }
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors) {
    if (factor > limit / product) {
      return std::nullopt;
    }
    product *= factor;
  }
  return product;
}

}  // namespace systole::files
