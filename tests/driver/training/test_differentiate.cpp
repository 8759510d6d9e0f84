// SPDX-License-Identifier: Apache-2.0
#include "differentiate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gradient_check.hpp"

namespace systole::training {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Differentiate, SeveralUses) {
  GradientCheck({{2, 3}, {3}}).run([](GraphBuilder& w, const Operands& x) {
    const TensorId y = w.multiply(x[0], x[1]);
    return w.add(w.multiply(y, y), w.add(y, w.unary(graph::UnaryKind::kTanh, x[0])));
  });
}

TEST(Differentiate, UnusedTensorsHaveZeros) {
  GradientCheck({{2, 3}, {4}}).run([](GraphBuilder& w, const Operands& x) { return w.scaled(x[0], 3); });
}

/// Batch normalization is composed: its gradient follows from those of its parts.
TEST(Differentiate, BatchNormalization) {
  GradientCheck({{4, 2, 2, 3}, {3}, {3}}).run([](GraphBuilder& w, const Operands& x) {
    const auto mean = [&](TensorId t) { return w.reduce(graph::ReduceKind::kMean, t, {0, 1, 2}); };
    const TensorId centered = w.subtract(x[0], mean(x[0]));
    const TensorId deviation = w.unary(graph::UnaryKind::kSqrt, w.plus(mean(w.multiply(centered, centered)), 1e-3));
    return w.add(w.multiply(w.divide(centered, deviation), x[1]), x[2]);
  });
}

TEST(Differentiate, NamesWhatHasNoRule) {
  graph::Graph graph;
  GraphBuilder w(graph, "forward");
  const TensorId x = w.input("x", graph::ElementType::kFloat32, {3});
  const TensorId y = w.append(graph::CumulativeSum{}, {x});
  const TensorId sum = w.reduce(graph::ReduceKind::kSum, y, {0}, false);
  EXPECT_THAT([&] { differentiate(graph, sum, {x}); },
              ThrowsMessage<graph::GraphError>(HasSubstr("operator 'forward/CumulativeSum.0' (CumulativeSum) cannot be "
                                                         "differentiated: it has no rule")));
}

TEST(Differentiate, OnlyScalars) {
  graph::Graph graph;
  GraphBuilder w(graph, "forward");
  const TensorId x = w.input("x", graph::ElementType::kFloat32, {3});
  EXPECT_THAT([&] { differentiate(graph, w.scaled(x, 2), {x}); },
              ThrowsMessage<graph::GraphError>(HasSubstr("is not a scalar")));
}

}  // namespace
}  // namespace systole::training
