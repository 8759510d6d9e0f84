// SPDX-License-Identifier: Apache-2.0
//
// Matrix products. All of them compute, before the output stage,
//
//     out[m][n] = bias[n] + sum over k of (a[m][k] - a_zero_point) * (b[k][n] - b_zero_point)
//
// wrapped to int32. b_zero_point is 0 for symmetric weights, the machine's native case.
#pragma once

#include <cstdint>

#include "output_stage.hpp"
#include "tensor.hpp"

namespace systole::golden {

// a is MxK, b is KxN.
Matrix32 matmul_raw(const Matrix8& a, const Matrix8& b, const Bias& bias = {}, std::int32_t a_zero_point = 0,
                    std::int32_t b_zero_point = 0);
Matrix8 matmul(const Matrix8& a, const Matrix8& b, const Bias& bias, const Requantize& stage,
               std::int32_t a_zero_point = 0, std::int32_t b_zero_point = 0);

// Fully connected layer: weights are stored output-major, [N][K], one row per output.
Matrix32 dense_raw(const Matrix8& input, const Matrix8& weights, const Bias& bias = {},
                   std::int32_t input_zero_point = 0, std::int32_t weight_zero_point = 0);
Matrix8 dense(const Matrix8& input, const Matrix8& weights, const Bias& bias, const Requantize& stage,
              std::int32_t input_zero_point = 0, std::int32_t weight_zero_point = 0);

Matrix8 transpose(const Matrix8& matrix);

// The bias for which the product of the raw inputs equals that of the inputs minus their zero point: bias[n] -
// zero_point * sum over k of weights[n][k]. Weights are output-major.
Bias fold_input_zero_point(const Matrix8& weights, const Bias& bias, std::int32_t input_zero_point);

}  // namespace systole::golden
