// SPDX-License-Identifier: Apache-2.0
#include "block_products.hpp"

#include <fmt/core.h>

#include <limits>

#include "scaled_integer.hpp"
#include "systole/errors.hpp"

namespace systole::golden {

float add_product(float sum, const Block& a, const Block& b) {
  if (a.exponent == kNanExponent || b.exponent == kNanExponent) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  std::int32_t products = 0;
  for (std::size_t n = 0; n < a.mantissas.size(); ++n) {
    products += a.mantissas[n] * b.mantissas[n];
  }
  constexpr int kBias = 2 * 133;
  return add_scaled(sum, products, a.exponent + b.exponent - kBias);
}

void add_products(Matrix<float>& sums, const Matrix<Block>& a, const Matrix<Block>& b) {
  if (a.columns != b.columns || sums.rows != a.rows || sums.columns != b.rows) {
    throw InvalidArgument(fmt::format("block products: {}x{} sums of {} rows of {} blocks and {} rows of {} blocks",
                                      sums.rows, sums.columns, a.rows, a.columns, b.rows, b.columns));
  }
  for (int row = 0; row < a.rows; ++row) {
    for (int column = 0; column < b.rows; ++column) {
      for (int block = 0; block < a.columns; ++block) {
        sums.at(row, column) = add_product(sums.at(row, column), a.at(row, block), b.at(column, block));
      }
    }
  }
}

}  // namespace systole::golden
