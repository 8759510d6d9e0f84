// SPDX-License-Identifier: Apache-2.0
#include "matmul.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace systole::golden {
namespace {

void check_bias(const Bias& bias, int channels) {
  if (!bias.empty() && bias.size() != std::size_t(channels)) {
    throw std::invalid_argument(fmt::format("{} bias values for {} outputs", bias.size(), channels));
  }
}

}  // namespace

Matrix32 matmul_raw(const Matrix8& a, const Matrix8& b, const Bias& bias, std::int32_t a_zero_point,
                    std::int32_t b_zero_point) {
  if (a.columns != b.rows) {
    throw std::invalid_argument(fmt::format("matmul of {}x{} and {}x{}", a.rows, a.columns, b.rows, b.columns));
  }
  check_bias(bias, b.columns);
  Matrix32 out(a.rows, b.columns);
  const auto columns = std::size_t(b.columns);
  // Unsigned arithmetic wraps as the definition asks, in whatever order.
  const auto wrapping = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
  std::vector<std::uint32_t> sums(columns);
  for (int m = 0; m < a.rows; ++m) {
    bias.empty() ? sums.assign(columns, 0) : sums.assign(bias.begin(), bias.end());
    for (int k = 0; k < a.columns; ++k) {
      const std::uint32_t left = wrapping(a.at(m, k)) - wrapping(a_zero_point);
      const std::int8_t* right = b.data.data() + std::size_t(k) * columns;
      for (std::size_t n = 0; n < columns; ++n) {
        sums[n] += left * (wrapping(right[n]) - wrapping(b_zero_point));
      }
    }
    std::transform(sums.begin(), sums.end(), out.data.begin() + std::ptrdiff_t(m) * b.columns,
                   [](std::uint32_t sum) { return static_cast<std::int32_t>(sum); });
  }
  return out;
}

Matrix8 matmul(const Matrix8& a, const Matrix8& b, const Bias& bias, const OutputStage& stage,
               std::int32_t a_zero_point, std::int32_t b_zero_point) {
  return apply(stage, matmul_raw(a, b, bias, a_zero_point, b_zero_point));
}

Matrix32 dense_raw(const Matrix8& input, const Matrix8& weights, const Bias& bias, std::int32_t input_zero_point,
                   std::int32_t weight_zero_point) {
  return matmul_raw(input, transpose(weights), bias, input_zero_point, weight_zero_point);
}

Matrix8 dense(const Matrix8& input, const Matrix8& weights, const Bias& bias, const OutputStage& stage,
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
