// SPDX-License-Identifier: Apache-2.0
#include "matmul.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "parallel.hpp"
#include "products.hpp"
#include "systole/errors.hpp"

namespace systole::golden {
namespace {

void check_bias(const Bias& bias, int channels) {
  if (!bias.empty() && bias.size() != std::size_t(channels)) {
    throw InvalidArgument(fmt::format("{} bias values for {} outputs", bias.size(), channels));
  }
}

/// `rows` x `depth` bytes in memory order, minus the zero point.
Rows16 rows_of(const Matrix8& matrix, std::int32_t zero_point) {
  Rows16 rows(std::size_t(matrix.rows), std::size_t(matrix.columns));
  for (std::size_t r = 0; r < std::size_t(matrix.rows); ++r) {
    rows.set(r, 0, matrix.data.data() + r * rows.depth(), rows.depth(), zero_point);
  }
  return rows;
}

}  // namespace

Matrix32 matmul_raw(const Matrix8& a, const Matrix8& b, const Bias& bias, std::int32_t a_zero_point,
                    std::int32_t b_zero_point) {
  if (a.columns != b.rows) {
    throw InvalidArgument(fmt::format("matmul of {}x{} and {}x{}", a.rows, a.columns, b.rows, b.columns));
  }
  return dense_raw(a, transpose(b), bias, a_zero_point, b_zero_point);
}

Matrix8 matmul(const Matrix8& a, const Matrix8& b, const Bias& bias, const Requantize& stage, std::int32_t a_zero_point,
               std::int32_t b_zero_point) {
  return apply(stage, matmul_raw(a, b, bias, a_zero_point, b_zero_point));
}

Matrix32 dense_raw(const Matrix8& input, const Matrix8& weights, const Bias& bias, std::int32_t input_zero_point,
                   std::int32_t weight_zero_point) {
  if (input.columns != weights.columns) {
    throw InvalidArgument(
        fmt::format("inputs of {} and weights of {} a row: they are equal", input.columns, weights.columns));
  }
  check_bias(bias, weights.rows);
  const Rows16 left = rows_of(input, input_zero_point), right = rows_of(weights, weight_zero_point);
  const auto columns = std::size_t(weights.rows);
  Matrix32 out(input.rows, weights.rows);
  parallel_ranges(std::size_t(input.rows), columns * left.depth(), [&](std::size_t first, std::size_t last) {
    // Unsigned arithmetic wraps as the definition requires, in any order.
    std::vector<std::uint32_t> sums((last - first) * columns);
    for (std::size_t i = 0; !bias.empty() && i < sums.size(); ++i) {
      sums[i] = static_cast<std::uint32_t>(bias[i % columns]);
    }
    add_products(left, first, last - first, right, 0, columns, sums.data(), columns);
    std::transform(sums.begin(), sums.end(), out.data.begin() + std::ptrdiff_t(first * columns),
                   [](std::uint32_t sum) { return static_cast<std::int32_t>(sum); });
  });
  return out;
}

Matrix8 dense(const Matrix8& input, const Matrix8& weights, const Bias& bias, const Requantize& stage,
              std::int32_t input_zero_point, std::int32_t weight_zero_point) {
  return apply(stage, dense_raw(input, weights, bias, input_zero_point, weight_zero_point));
}

Matrix8 transpose(const Matrix8& matrix) {
  Matrix8 out(matrix.columns, matrix.rows);
  for (int row = 0; row < matrix.rows; ++row) {
    for (int column = 0; column < matrix.columns; ++column) {
      out.at(column, row) = matrix.at(row, column);
    }
  }
  return out;
}

Bias fold_input_zero_point(const Matrix8& weights, const Bias& bias, std::int32_t input_zero_point) {
  check_bias(bias, weights.rows);
  Bias folded(std::size_t(weights.rows));
  for (int n = 0; n < weights.rows; ++n) {
    std::int64_t sum = 0;
    for (int k = 0; k < weights.columns; ++k) {
      sum += weights.at(n, k);
    }
    const std::int64_t before = bias.empty() ? 0 : bias[std::size_t(n)];
    folded[std::size_t(n)] = wrap_to_int32(before - sum * input_zero_point);
  }
  return folded;
}

}  // namespace systole::golden
