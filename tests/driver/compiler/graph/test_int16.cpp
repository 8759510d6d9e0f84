// SPDX-License-Identifier: Apache-2.0
// 16-bit activations: each operator computed by hand on a few elements, and the refused types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator_graph.hpp"

namespace systole::graph::test {
namespace {

using Words = std::vector<std::int16_t>;
using testing::HasSubstr;

Tensor words(const Shape& shape, float scale) { return quantized(shape, scale, 0, ElementType::kInt16); }

Words of(OperatorKind kind, std::vector<Tensor> inputs, const Tensor& output, const std::vector<Words>& values) {
  return run<std::int16_t>(one_operator(std::move(kind), std::move(inputs), {output}), values);
}

std::string refusal(OperatorKind kind, std::vector<Tensor> inputs, const Tensor& output) {
  try {
    validate(one_operator(std::move(kind), std::move(inputs), {output}));
  } catch (const GraphError& error) {
    return error.what();
  }
  return "none";
}

TEST(Int16, ConvolutionsWith32And64BitBias) {
  Conv2d conv;
  conv.window.kernel_w = 2;
  conv.activation = Activation::kRelu;
  const Tensor input = words({1, 1, 3, 1}, 0.5F);
  const Tensor weights = constant<std::int8_t>(quantized({2, 1, 2, 1}, 1, 0), {1, 100, -1, 1});
  const Tensor output = words({1, 1, 2, 2}, 1);
  const Tensor narrow = constant<std::int32_t>(quantized({2}, 0.5F, 0, ElementType::kInt32), {1000, -10});
  const Tensor wide =
      constant<std::int64_t>(quantized({2}, 0.5F, 0, ElementType::kInt64), {-3 * (std::int64_t{1} << 30), 100});
  EXPECT_EQ(of(conv, {input, weights}, output, {{-5, 2, 40}}), (Words{98, 4, 2001, 19}));
  EXPECT_EQ(of(conv, {input, weights, narrow}, output, {{-5, 2, 40}}), (Words{598, 0, 2501, 14}));
  EXPECT_EQ(of(conv, {input, weights, wide}, output, {{-5, 2, 40}}), (Words{0, 54, 0, 69}));
}

TEST(Int16, ProductsAreOfTwoMatricesOf16Bits) {
  const Words a = {1, 2, 3, 4, 5, 6};
  const Words b = {1, 0, 0, 1000, -1, 1};
  EXPECT_EQ(of(MatMul{false, false}, {words({2, 3}, 1), words({3, 2}, 1)}, words({2, 2}, 1), {a, b}),
            (Words{-2, 2003, -2, 5006}));
  EXPECT_EQ(of(MatMul{true, false}, {words({3, 2}, 1), words({3, 2}, 1)}, words({2, 2}, 1), {a, b}),
            (Words{-4, 3005, -4, 4006}));
  EXPECT_EQ(of(MatMul{false, true}, {words({2, 1, 3}, 1), words({2, 3}, 1)}, words({2, 1, 2}, 1), {a, b}),
            (Words{1, 1001, 4, 4001}));
}

TEST(Int16, ElementWisePoolsAndReductions) {
  const Tensor four = words({4}, 0.5F);
  EXPECT_EQ(of(Binary{BinaryKind::kAdd}, {four, words({1}, 0.5F)}, four, {{1, 2, 3, 4}, {10}}),
            (Words{11, 12, 13, 14}));
  EXPECT_EQ(of(Binary{BinaryKind::kMaximum}, {four, four}, four, {{1, 2, 3, 4}, {4, 3, 2, 1}}), (Words{4, 3, 3, 4}));
  EXPECT_EQ(of(Binary{BinaryKind::kSquaredDifference}, {four, four}, four, {{1, 20, 3, -40}, {4, 3, 2, 1}}),
            (Words{2, 128, 2, 882}));  // of halves
  EXPECT_EQ(of(Binary{BinaryKind::kPrelu}, {four, constant<std::int8_t>(quantized({1}, 0.5F, 0), {-4})}, four,
               {{1, 2, -3, 4}}),
            (Words{1, 2, 6, 4}));
  EXPECT_EQ(of(Unary{UnaryKind::kRelu6}, {four}, words({4}, 0.25F), {{-1, 2, 12, 30}}), (Words{0, 4, 24, 24}));
  // The quotient of the scales is 2.5 in float32, less in double.
  const Tensor quarters = words({2}, 0.25F);
  EXPECT_EQ(of(Unary{UnaryKind::kRelu6}, {quarters}, words({2}, 0.1F), {{1, 5}}), (Words{3, 13}));
  EXPECT_EQ(of(Unary{UnaryKind::kRelu}, {quarters}, words({2}, 0.1F), {{1, 5}}), (Words{2, 12}));
  Pool pool;
  pool.window.kernel_w = 2;
  const Tensor image = words({1, 1, 4, 1}, 0.5F);
  const Tensor pooled = words({1, 1, 3, 1}, 0.5F);
  EXPECT_EQ(of(pool, {image}, pooled, {{-300, 7, 8, -9}}), (Words{7, 8, 8}));
  pool.kind = PoolKind::kAverage;
  EXPECT_EQ(of(pool, {image}, pooled, {{-300, 7, 8, -9}}), (Words{-147, 8, -1}));
  EXPECT_EQ(of(Reduce{ReduceKind::kMean, {0}}, {four}, words({1}, 0.5F), {{1, 2, 3, 4}}), (Words{3}));
  EXPECT_EQ(of(Reduce{ReduceKind::kMin, {0}}, {four}, words({1}, 0.5F), {{1, -2, 3, 4}}), (Words{-2}));
}

TEST(Int16, FunctionsHaveAFixedScale) {
  const Tensor two = words({2}, 1.0F / 4096);
  const Tensor fraction = words({2}, 1.0F / 32768);
  EXPECT_EQ(of(Unary{UnaryKind::kSigmoid}, {two}, fraction, {{0, 32767}}), (Words{16384, 32757}));
  EXPECT_EQ(of(Unary{UnaryKind::kTanh}, {two}, fraction, {{0, -32768}}), (Words{0, -32767}));
  EXPECT_EQ(of(Softmax{}, {two}, fraction, {{5, 5}}), (Words{16384, 16384}));
  EXPECT_THROW(of(Unary{UnaryKind::kTanh}, {two}, two, {{0, 0}}), GraphError);
}

TEST(Int16, RejectsIncompatibleTypes) {
  const Tensor input = words({1, 2}, 1);
  const Tensor weights = constant<std::int8_t>(quantized({1, 2}, 1, 0), {1, 1});
  const Tensor output = words({1, 1}, 1);
  EXPECT_EQ(refusal(Dense{}, {input, weights}, output), "none");
  EXPECT_THAT(refusal(Dense{}, {input, weights}, quantized({1, 1}, 1, 0)),
              HasSubstr("must have the same element type"));
  EXPECT_THAT(refusal(Dense{}, {input, words({1, 2}, 1)}, output), HasSubstr("it must be int8"));
  EXPECT_THAT(refusal(Dense{}, {input, quantized({1, 2}, 1, 3)}, output),
              HasSubstr("zero points of weights must be 0"));
  EXPECT_THAT(refusal(Dense{}, {quantized({1, 2}, 1, 1, ElementType::kInt16), weights}, output),
              HasSubstr("its zero point must be 0"));
  EXPECT_THAT(refusal(Dense{}, {input, weights, quantized({1}, 1, 0, ElementType::kInt16)}, output),
              HasSubstr("int64 or int32"));
  EXPECT_THAT(refusal(Binary{}, {input, input}, quantized({1, 2}, 1, 7, ElementType::kInt16)),
              HasSubstr("its zero point must be 0"));
}

}  // namespace
}  // namespace systole::graph::test
