// SPDX-License-Identifier: Apache-2.0
// Shape inference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "infer.hpp"

namespace systole::graph {
namespace {

Shape one(const OperatorKind& kind, const std::vector<Shape>& inputs, const std::vector<Shape>& given = {}) {
  return output_shapes(kind, inputs, given).at(0);
}

std::string refusal(const OperatorKind& kind, const std::vector<Shape>& inputs, const std::vector<Shape>& given = {}) {
  try {
    return "accepted: " + to_string(one(kind, inputs, given));
  } catch (const GraphError& error) {
    return error.what();
  }
}

using testing::HasSubstr;

TEST(Shapes, TextAndCount) {
  EXPECT_EQ(to_string({1, 28, 28, 16}), "1x28x28x16");
  EXPECT_EQ(to_string({}), "scalar");
  EXPECT_EQ(count({}), 1);
  EXPECT_EQ(count({2, 3, 4}), 24);
  EXPECT_EQ(count({2, 0}), 0);
  EXPECT_EQ(count({0, std::int64_t{1} << 40, std::int64_t{1} << 40}), 0);
  EXPECT_THROW(count({2, -1}), GraphError);
  EXPECT_THROW(count({std::int64_t{1} << 40, std::int64_t{1} << 40}), GraphError);
}

TEST(Shapes, Convolutions) {
  Conv2d conv;
  conv.window = {3, 5, 2, 1, 1, 2, 1, 0, 4, 4};
  EXPECT_EQ(one(conv, {{2, 9, 7, 6}, {8, 3, 5, 6}, {8}}), (Shape{2, 4, 7, 8}));
  EXPECT_THAT(refusal(conv, {{2, 9, 7, 6}, {8, 3, 3, 6}}),
              HasSubstr("Conv2d: kernel 3x5 does not match weights 8x3x3x6"));
  EXPECT_THAT(refusal(conv, {{2, 9, 7, 6}, {8, 3, 5, 6}, {7}}), HasSubstr("bias has shape 7; expected 8, [O]"));
  EXPECT_THAT(refusal(conv, {{2, 9, 7, 6}}), HasSubstr("Conv2d has 1 inputs; expected 2 .. 3"));
  conv.groups = 3;
  EXPECT_EQ(one(conv, {{1, 9, 7, 6}, {9, 3, 5, 2}}), (Shape{1, 4, 7, 9}));
  EXPECT_THAT(refusal(conv, {{1, 9, 7, 6}, {8, 3, 5, 2}}), HasSubstr("3 groups do not divide"));
  conv.window.stride_h = 0;
  EXPECT_THAT(refusal(conv, {{1, 9, 7, 6}, {9, 3, 5, 2}}), HasSubstr("vertical stride is 0; it must be at least 1"));
}

TEST(Shapes, RejectsWindowsBeyondInt32) {
  Conv2d conv;
  conv.window.pad_top = std::numeric_limits<int>::max();
  EXPECT_THAT(refusal(conv, {{1, 9, 9, 1}, {1, 1, 1, 1}}), HasSubstr("is larger than 2^31 - 1"));
  conv.window = {};
  conv.window.kernel_h = conv.window.dilation_h = std::numeric_limits<int>::max();
  EXPECT_THAT(refusal(conv, {{1, 9, 9, 1}, {1, std::numeric_limits<int>::max(), 1, 1}}),
              HasSubstr("does not fit into height 9"));
}

TEST(Shapes, Products) {
  EXPECT_EQ(one(Dense{}, {{2, 3, 5}, {7, 5}, {7}}), (Shape{2, 3, 7}));
  EXPECT_THAT(refusal(Dense{}, {{2, 3, 4}, {7, 5}}), HasSubstr("weights has shape 7x5; expected 7x4, [O,K]"));
  EXPECT_THAT(refusal(Dense{}, {{}, {7, 5}}), HasSubstr("input has shape scalar; expected 1 dimensions or more"));
  EXPECT_EQ(one(MatMul{}, {{4, 1, 2, 3}, {5, 3, 6}}), (Shape{4, 5, 2, 6}));
  EXPECT_EQ(one((MatMul{true, true}), {{3, 2}, {6, 3}, {2, 6}}), (Shape{2, 6}));
  EXPECT_THAT(refusal(MatMul{}, {{2, 3}, {4, 5}}), HasSubstr("3 columns do not match 4 rows"));
  EXPECT_THAT(refusal(MatMul{}, {{3}, {3, 5}}), HasSubstr("expected at least 2 dimensions"));
  EXPECT_THAT(refusal(MatMul{}, {{2, 3}, {3, 5}, {9, 2, 5}}), HasSubstr("bias of shape 9x2x5 cannot be broadcast"));
}

TEST(Shapes, ElementsAndReductions) {
  EXPECT_EQ(one(Binary{}, {{4, 1, 3}, {2, 1}}), (Shape{4, 2, 3}));
  EXPECT_THAT(refusal(Binary{}, {{4}, {3}}), HasSubstr("shapes 4 and 3 cannot be broadcast"));
  EXPECT_EQ(one(Unary{}, {{4, 2}}), (Shape{4, 2}));
  EXPECT_EQ(one(Reduce{ReduceKind::kMean, {1, -1}, true}, {{2, 3, 4}}), (Shape{2, 1, 1}));
  EXPECT_EQ(one(Reduce{ReduceKind::kMean, {1, -1}, false}, {{2, 3, 4}}), (Shape{2}));
  EXPECT_THAT(refusal(Reduce{ReduceKind::kMean, {1, -2}, false}, {{2, 3, 4}}), HasSubstr("axis -2 is named twice"));
  EXPECT_THAT(refusal(Reduce{ReduceKind::kMean, {3}, false}, {{2, 3, 4}}),
              HasSubstr("axis 3 of 3 dimensions; the range is -3 .. 2"));
  EXPECT_THAT(refusal(Softmax{}, {{}}), HasSubstr("axis -1 of 0 dimensions"));
}

TEST(Shapes, RejectsPoolWindowsInPadding) {
  Pool pool;
  pool.window = {2, 2, 2, 2, 1, 1, 0, 1, 0, 1};
  EXPECT_EQ(one(pool, {{1, 3, 3, 4}}), (Shape{1, 2, 2, 4}));
  pool.window.pad_top = 2;
  EXPECT_THAT(refusal(pool, {{1, 3, 3, 4}}), HasSubstr("a window over height of 3 holds padding only"));
  pool.window = {1, 1, 3, 1, 1, 1, 0, 1, 0, 0};
  EXPECT_THAT(refusal(pool, {{1, 3, 3, 4}}), HasSubstr("a window over height of 3 holds padding only"));
}

TEST(Shapes, Movement) {
  EXPECT_EQ(one(Pad{{1, 0}, {-1, 2}}, {{3, 4}}), (Shape{3, 6}));
  EXPECT_THAT(refusal(Pad{{-2}, {-1}}, {{3}}), HasSubstr("leaves nothing"));
  EXPECT_THAT(refusal(Pad{{-4}, {9}}, {{3}}), HasSubstr("leaves nothing"));
  EXPECT_THAT(refusal(Pad{{3}, {0}, Pad::Mode::kReflect}, {{3}}), HasSubstr("the maximum is 2"));
  EXPECT_EQ(one(Reshape{}, {{3, 4}}, {{2, 6}}), (Shape{2, 6}));
  EXPECT_THAT(refusal(Reshape{}, {{3, 4}}, {{2, 7}}), HasSubstr("3x4 has 12 elements, but 2x7 has 14"));
  EXPECT_EQ(one(Transpose{{2, 0, 1}}, {{5, 6, 7}}), (Shape{7, 5, 6}));
  EXPECT_THAT(refusal(Transpose{{2, 0, 0}}, {{5, 6, 7}}), HasSubstr("[2, 0, 0] is not a permutation of 0 .. 2"));
  EXPECT_EQ(one(Concat{-1}, {{2, 3}, {2, 4}}), (Shape{2, 7}));
  EXPECT_THAT(refusal(Concat{0}, {{2, 3}, {2, 4}}), HasSubstr("differ in more than axis 0"));
  EXPECT_EQ(output_shapes(Split{1}, {{2, 5}}, {{2, 1}, {2, 4}}).size(), 2U);
  EXPECT_THAT(refusal(Split{1}, {{2, 5}}, {{2, 1}, {2, 3}}), HasSubstr("do not add up to the 5"));
  EXPECT_EQ(one(Slice{{4}, {-2}}, {{5}}, {{3}}), (Shape{3}));
  EXPECT_THAT(refusal(Slice{{4}, {-2}}, {{5}}, {{4}}), HasSubstr("reach outside"));
  EXPECT_THAT(refusal(Slice{{1}, {std::numeric_limits<std::int64_t>::max()}}, {{5}}, {{4}}),
              HasSubstr("reach outside"));
  EXPECT_EQ(one(ResizeNearest{}, {{1, 2, 3, 4}}, {{1, 7, 1, 4}}), (Shape{1, 7, 1, 4}));
  EXPECT_THAT(refusal(ResizeNearest{}, {{1, 2, 3, 4}}, {{1, 7, 1, 5}}),
              HasSubstr("may differ only in height and width"));
}

}  // namespace
}  // namespace systole::graph
