// SPDX-License-Identifier: Apache-2.0
#include "golden/matmul.hpp"

#include <fmt/core.h>

#include <stdexcept>

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
  for (int m = 0; m < a.rows; ++m) {
    for (int n = 0; n < b.columns; ++n) {
      std::int64_t sum = bias.empty() ? 0 : bias[std::size_t(n)];
      for (int k = 0; k < a.columns; ++k) {
        sum += std::int64_t{a.at(m, k) - a_zero_point} * (b.at(k, n) - b_zero_point);
      }
      out.at(m, n) = wrap_to_int32(sum);
    }
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
