// SPDX-License-Identifier: Apache-2.0
#include "matmul.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "compare.hpp"
#include "random_tensors.hpp"

namespace systole::golden::test {
namespace {

TEST(Matmul, SmallByHand) {
  const Matrix8 a(2, 3, {1, 2, 3, -4, 5, -6});
  const Matrix8 b(3, 2, {7, 8, 9, 10, 11, 12});
  EXPECT_EQ(matmul_raw(a, b).data, (std::vector<std::int32_t>{58, 64, -49, -54}));
  EXPECT_EQ(matmul_raw(a, b, {100, -100}).data, (std::vector<std::int32_t>{158, -36, 51, -154}));
  // a - 1 = {0, 1, 2, -5, 4, -7}
  EXPECT_EQ(matmul_raw(a, b, {}, 1).data, (std::vector<std::int32_t>{31, 34, -76, -84}));
  // b - 10 = {-3, -2, -1, 0, 1, 2}
  EXPECT_EQ(matmul_raw(a, b, {}, 0, 10).data, (std::vector<std::int32_t>{-2, 4, 1, -4}));
}

TEST(Matmul, EachColumnHasItsOwnScale) {
  const Matrix8 a(1, 1, {10});
  const Matrix8 b(1, 3, {4, 4, 4});
  Requantize stage;
  stage.scale = {{1 << 30, 1}, {1 << 30, 0}, {1 << 30, -1}};  // 1, 1/2, 1/4
  stage.zero_point = 3;
  stage.clamp_max = 40;
  EXPECT_EQ(matmul(a, b, {}, stage).data, (std::vector<std::int8_t>{40, 23, 13}));
}

TEST(Matmul, RoundsAsTheStageSays) {
  const Matrix8 a(1, 2, {1, 1});
  const Matrix8 b(2, 3, {2, -1, -3, 3, -1, -3});  // sums 5, -2, -6, scaled by 1/4
  Requantize stage;
  stage.scale = {{1 << 30, -1}};
  EXPECT_EQ(matmul(a, b, {}, stage).data, (std::vector<std::int8_t>{2, -1, -2}));
  stage.rounding = Rounding::kSingle;
  EXPECT_EQ(matmul(a, b, {}, stage).data, (std::vector<std::int8_t>{1, 0, -1}));
  stage.rounding = Rounding::kEven;
  EXPECT_EQ(matmul(a, b, {}, stage).data, (std::vector<std::int8_t>{1, 0, -2}));
}

TEST(Matmul, AccumulatorsWrap) {
  const Matrix8 one(1, 1, {1});
  EXPECT_EQ(matmul_raw(one, one, {2147483647}).data[0], std::numeric_limits<std::int32_t>::min());
}

TEST(Matmul, RefusesWhatDoesNotFit) {
  const Matrix8 a(2, 3);
  EXPECT_THROW(matmul_raw(a, a), std::invalid_argument);
  EXPECT_THROW(matmul_raw(a, Matrix8(3, 2), Bias(3)), std::invalid_argument);
  EXPECT_THROW(fold_input_zero_point(a, Bias(3), 1), std::invalid_argument);
  EXPECT_THROW(Matrix8(2, 2, {1, 2, 3}), std::invalid_argument);
  Requantize stage;
  stage.scale.clear();
  EXPECT_THROW(matmul(a, Matrix8(3, 2), {}, stage), std::invalid_argument);
  stage.scale = {{1 << 30, 31}};
  EXPECT_THROW(matmul(a, Matrix8(3, 2), {}, stage), std::invalid_argument);
  stage.scale = {{-1, 0}};
  EXPECT_THROW(matmul(a, Matrix8(3, 2), {}, stage), std::invalid_argument);
  stage.scale = {{1 << 30, 0}};
  stage.clamp_min = 1;
  stage.clamp_max = 0;
  EXPECT_THROW(matmul(a, Matrix8(3, 2), {}, stage), std::invalid_argument);
}

RC_GTEST_PROP(Matmul, IdentityCopies, ()) {
  const int size = between(1, 9);
  const Matrix8 a = random_matrix(between(1, 9), size);
  Matrix8 identity(size, size);
  for (int i = 0; i < size; ++i) {
    identity.at(i, i) = 1;
  }
  Requantize unit;
  unit.scale = {{1 << 30, 1}};
  RC_ASSERT(!difference(a, matmul(a, identity, {}, unit)));
}

RC_GTEST_PROP(Matmul, DenseIsMatmulWithTransposedWeights, ()) {
  const int m = between(1, 5), k = between(1, 20), n = between(1, 7);
  const Matrix8 a = random_matrix(m, k);
  const Matrix8 b = random_matrix(k, n);
  const Bias bias = random_bias(n);
  const Requantize stage = random_stage(n);
  const int zero_point = between(-128, 127);
  RC_ASSERT(!difference(matmul(a, b, bias, stage, zero_point), dense(a, transpose(b), bias, stage, zero_point)));
}

RC_GTEST_PROP(Matmul, FoldedZeroPointGivesTheSameSums, ()) {
  const int m = between(1, 5), k = between(1, 20), n = between(1, 7);
  const Matrix8 a = random_matrix(m, k);
  const Matrix8 weights = random_matrix(n, k);
  const Bias bias = random_bias(n);
  const int zero_point = between(-128, 127);
  RC_ASSERT(!difference(dense_raw(a, weights, bias, zero_point),
                        dense_raw(a, weights, fold_input_zero_point(weights, bias, zero_point))));
}

RC_GTEST_PROP(Matmul, AsymmetricWeightsSplitIntoTwoInt8Halves, ()) {
  // w - zw fits in nine bits, so it is the sum of two int8 weights over a doubled reduction.
  const int m = between(1, 4), k = between(1, 12), n = between(1, 5), zero_point = between(-128, 127);
  const Matrix8 a = random_matrix(m, k);
  const Matrix8 b = random_matrix(k, n);
  Matrix8 a_twice(m, 2 * k);
  Matrix8 b_split(2 * k, n);
  for (int i = 0; i < k; ++i) {
    for (int row = 0; row < m; ++row) {
      a_twice.at(row, i) = a_twice.at(row, k + i) = a.at(row, i);
    }
    for (int column = 0; column < n; ++column) {
      const int whole = b.at(i, column) - zero_point;
      const int part = std::clamp(whole, -128, 127);
      b_split.at(i, column) = static_cast<std::int8_t>(part);
      b_split.at(k + i, column) = static_cast<std::int8_t>(whole - part);
    }
  }
  RC_ASSERT(!difference(matmul_raw(a, b, {}, 0, zero_point), matmul_raw(a_twice, b_split)));
}

}  // namespace
}  // namespace systole::golden::test
