// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reference.hpp"

namespace systole::test {

/// Memories of the verilated variants: small, so that ranges are crossed often. Of 765 scratchpad rows the last are
/// exponents of those before, one row for each 4, 8 or 16.
inline VectorSizes sizes_of(int dim) {
  const int lanes = std::min(dim, 16);
  return {dim, 765, 64, 384, 765 * lanes / (lanes + 1)};
}

}  // namespace systole::test
