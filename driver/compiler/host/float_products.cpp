// SPDX-License-Identifier: Apache-2.0
#include "float_products.hpp"

#include "wide_registers.hpp"

namespace systole::graph {
namespace {

template <std::size_t Rows>
[[gnu::always_inline]] inline void add(const double* const* rows, const double* block, std::size_t depth,
                                       double (*sums)[kLanes]) {
  double local[Rows][kLanes];
  for (std::size_t r = 0; r < Rows; ++r) {
    std::copy_n(sums[r], kLanes, local[r]);
  }
  for (std::size_t k = 0; k < depth; ++k, block += kLanes) {
    for (std::size_t r = 0; r < Rows; ++r) {
      const double x = rows[r][k];
      for (std::size_t l = 0; l < kLanes; ++l) {
        local[r][l] += x * block[l];
      }
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    std::copy_n(local[r], kLanes, sums[r]);
  }
}

}  // namespace

SYSTOLE_WIDE void add_products(const double* const* rows, std::size_t count, const double* block, std::size_t depth,
                               double (*sums)[kLanes]) {
  if (count == kRows) {
    add<kRows>(rows, block, depth, sums);
    return;
  }
  std::size_t done = 0;
  if (count >= 2) {
    add<2>(rows, block, depth, sums);
    done = 2;
  }
  if (done < count) {
    add<1>(rows + done, block, depth, sums + done);
  }
}

}  // namespace systole::graph
