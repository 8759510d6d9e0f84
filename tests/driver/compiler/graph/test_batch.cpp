// SPDX-License-Identifier: Apache-2.0
// Networks rewritten for several samples: every kind of operator gives each sample what it has alone, or is refused by
// name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "operator_graph.hpp"
#include "seed.hpp"
#include "systole/batch.hpp"

namespace systole::graph::test {
namespace {

constexpr std::int64_t kSamples = 3;

struct Draw {
  std::mt19937_64 random{systole::test::quiet_seed()};

  Value value(const Tensor& tensor) {
    std::vector<float> reals(static_cast<std::size_t>(count(tensor.shape)));
    for (float& real : reals) {
      real = static_cast<float>(static_cast<int>(random() % 41) - 20) / 8;
    }
    if (tensor.type == ElementType::kFloat32) {
      return make_value(tensor.type, tensor.shape, reals);
    }
    std::vector<std::int64_t> indices(reals.size());
    for (std::int64_t& index : indices) {
      index = static_cast<std::int64_t>(random() % 2);
    }
    return make_value(tensor.type, tensor.shape, indices);
  }

  Tensor constant(Tensor tensor) {
    tensor.constant = std::make_shared<const Bytes>(value(tensor).data);
    return tensor;
  }
};

/// Computes samples alone and together.
void expect_same(const Graph& graph) {
  Draw draw;
  const Graph together = batched(graph, kSamples);
  std::vector<std::vector<Value>> samples;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    std::vector<Value>& sample = samples.emplace_back();
    for (const TensorId id : graph.inputs) {
      sample.push_back(draw.value(graph.tensor(id)));
    }
  }
  const auto results = unstacked(execute(together, stacked(samples)), kSamples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::vector<Value> expected = execute(graph, samples[i]);
    ASSERT_EQ(results[i].size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(results[i][k].shape, expected[k].shape);
      EXPECT_EQ(results[i][k].data, expected[k].data) << "sample " << i << ", output " << k;
    }
  }
}

std::string refusal(const Graph& graph) {
  try {
    batched(graph, kSamples);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "";
}

TEST(Batch, OfImages) {
  Draw draw;
  Conv2d conv;
  conv.window.kernel_h = conv.window.kernel_w = 3;
  expect_same(one_operator(conv, {tensor({1, 5, 6, 2}), draw.constant(tensor({4, 3, 3, 2}))}, {tensor({1, 3, 4, 4})}));
  Pool pool;
  pool.window.kernel_h = pool.window.kernel_w = 2;
  expect_same(one_operator(pool, {tensor({2, 5, 6, 2})}, {tensor({2, 4, 5, 2})}));
  expect_same(one_operator(ResizeNearest{}, {tensor({1, 2, 3, 2})}, {tensor({1, 4, 5, 2})}));
}

TEST(Batch, OfRows) {
  Draw draw;
  expect_same(one_operator(Dense{}, {tensor({1, 7}), draw.constant(tensor({3, 7})), draw.constant(tensor({3}))},
                           {tensor({1, 3})}));
  expect_same(one_operator(Dense{}, {tensor({4, 7}), draw.constant(tensor({3, 7}))}, {tensor({4, 3})}));
  expect_same(one_operator(Softmax{}, {tensor({1, 7})}, {tensor({1, 7})}));
  expect_same(one_operator(Reduce{ReduceKind::kMean, {1}, false}, {tensor({1, 4, 3})}, {tensor({1, 3})}));
  expect_same(one_operator(CumulativeSum{1}, {tensor({2, 4})}, {tensor({2, 4})}));
}

TEST(Batch, OfElements) {
  Draw draw;
  expect_same(one_operator(Unary{}, {tensor({5})}, {tensor({5})}));
  expect_same(one_operator(Binary{}, {tensor({1, 4}), tensor({1, 4})}, {tensor({1, 4})}));
  expect_same(one_operator(Binary{}, {tensor({1, 4}), draw.constant(tensor({4}))}, {tensor({1, 4})}));
  // A constant with rows of its own is repeated.
  expect_same(one_operator(Binary{}, {draw.constant(tensor({2, 4})), tensor({2, 4})}, {tensor({2, 4})}));
}

TEST(Batch, OfMatrices) {
  Draw draw;
  MatMul transposed;
  transposed.transpose_b = true;
  expect_same(one_operator(transposed, {tensor({1, 2, 3, 4}), tensor({1, 2, 5, 4})}, {tensor({1, 2, 3, 5})}));
  expect_same(one_operator(MatMul{}, {tensor({1, 3, 4}), draw.constant(tensor({4, 5}))}, {tensor({1, 3, 5})}));
  expect_same(one_operator(MatMul{}, {tensor({3, 4}), draw.constant(tensor({4, 5}))}, {tensor({3, 5})}));
  expect_same(one_operator(MatMul{}, {draw.constant(tensor({2, 3, 4})), tensor({2, 4, 5})}, {tensor({2, 3, 5})}));
}

TEST(Batch, OfMovements) {
  Draw draw;
  expect_same(one_operator(Reshape{}, {tensor({1, 4, 6})}, {tensor({8, 3})}));
  expect_same(one_operator(Transpose{{0, 2, 1}}, {tensor({1, 4, 6})}, {tensor({1, 6, 4})}));
  expect_same(one_operator(Concat{1}, {tensor({1, 2}), draw.constant(tensor({1, 3}))}, {tensor({1, 5})}));
  expect_same(one_operator(Split{-1}, {tensor({1, 5})}, {tensor({1, 2}), tensor({1, 3})}));
  expect_same(one_operator(Slice{{0, 1}, {1, 2}}, {tensor({1, 5})}, {tensor({1, 2})}));
  Pad pad;
  pad.before = {0, 1};
  pad.after = {0, 2};
  expect_same(one_operator(pad, {tensor({1, 5})}, {tensor({1, 8})}));
  const Tensor indices = tensor({1, 3}, ElementType::kInt64);
  expect_same(
      one_operator(Gather{1}, {tensor({1, 5}), draw.constant(tensor({3}, ElementType::kInt64))}, {tensor({1, 3})}));
  expect_same(one_operator(Gather{0}, {draw.constant(tensor({5, 2})), indices}, {tensor({1, 3, 2})}));
}

TEST(Batch, RefusesWhatMixesSamplesByName) {
  Draw draw;
  using ::testing::AllOf, ::testing::HasSubstr;
  const auto refused = [](const std::string& reason) {
    return AllOf(HasSubstr("operator 'op'"), HasSubstr("3 samples at once"), HasSubstr(reason));
  };
  EXPECT_THAT(refusal(one_operator(Softmax{0}, {tensor({1, 7})}, {tensor({1, 7})})), refused("works along the first"));
  EXPECT_THAT(refusal(one_operator(Transpose{{1, 0}}, {tensor({1, 4})}, {tensor({4, 1})})), refused("it moves"));
  EXPECT_THAT(refusal(one_operator(Concat{0}, {tensor({1, 4}), tensor({2, 4})}, {tensor({3, 4})})),
              refused("works along the first"));
  EXPECT_THAT(refusal(one_operator(Slice{{1, 0}, {1, 1}}, {tensor({3, 4})}, {tensor({2, 4})})), refused("it cuts"));
  EXPECT_THAT(refusal(one_operator(MatMul{}, {tensor({3, 4}), tensor({4, 5})}, {tensor({3, 5})})), refused("columns"));
  EXPECT_THAT(refusal(one_operator(Reduce{ReduceKind::kMax, {0}, true}, {tensor({4, 3})}, {tensor({1, 3})})),
              refused("works along the first"));
  EXPECT_THAT(refusal(one_operator(Binary{}, {tensor({4}), tensor({2, 4})}, {tensor({2, 4})})),
              refused("broadcast along the first axis"));
  EXPECT_THAT(refusal(one_operator(Dense{}, {tensor({4}), draw.constant(tensor({3, 4}))}, {tensor({3})})),
              refused("no axis besides"));
  Lstm lstm;
  lstm.time_major = true;
  std::vector<Tensor> operands = {tensor({2, 1, 4})};
  for (const Shape& shape : {Shape{3, 4}, Shape{3, 3}, Shape{3}}) {
    operands.insert(operands.end(), 4, draw.constant(tensor(shape)));
  }
  operands.insert(operands.end(), 2, draw.constant(tensor({1, 3})));
  EXPECT_THAT(refusal(one_operator(lstm, operands, {tensor({2, 1, 3})})), refused("the time"));
}

TEST(Batch, RefusesInputsWithoutAxesAndNoSamples) {
  EXPECT_THAT(refusal(one_operator(Unary{}, {tensor({})}, {tensor({})})), ::testing::HasSubstr("has no axes"));
  EXPECT_THROW(batched(one_operator(Unary{}, {tensor({1})}, {tensor({1})}), 0), GraphError);
}

}  // namespace
}  // namespace systole::graph::test
