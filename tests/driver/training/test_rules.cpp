// SPDX-License-Identifier: Apache-2.0
// Each rule but those of images, against central differences.
#include <gtest/gtest.h>

#include "gradient_check.hpp"

namespace systole::training {
namespace {

using graph::BinaryKind;
using graph::ReduceKind;
using graph::UnaryKind;

struct Function {
  UnaryKind kind;
  Range range = {-2, 2};
  float alpha = 0, beta = 0;
};

class Functions : public testing::TestWithParam<Function> {};

TEST_P(Functions, Derivative) {
  GradientCheck({{3, 7}}, {GetParam().range}).run([](GraphBuilder& w, const Operands& x) {
    return w.unary(GetParam().kind, x[0], GetParam().alpha, GetParam().beta);
  });
}

INSTANTIATE_TEST_SUITE_P(
    All, Functions,
    testing::Values(Function{UnaryKind::kRelu}, Function{UnaryKind::kRelu6, {-3, 9}},
                    Function{UnaryKind::kClip, {-2, 2}, -0.5F, 1}, Function{UnaryKind::kLeakyRelu, {-2, 2}, 0.1F},
                    Function{UnaryKind::kElu, {-2, 2}, 0.7F}, Function{UnaryKind::kHardSigmoid, {-4, 4}, 0.2F, 0.5F},
                    Function{UnaryKind::kHardSwish, {-5, 5}}, Function{UnaryKind::kSigmoid}, Function{UnaryKind::kTanh},
                    Function{UnaryKind::kGelu}, Function{UnaryKind::kSoftplus}, Function{UnaryKind::kAbs},
                    Function{UnaryKind::kNegate}, Function{UnaryKind::kExp}, Function{UnaryKind::kLog, {0.2, 3}},
                    Function{UnaryKind::kSqrt, {0.2, 3}}, Function{UnaryKind::kReciprocal, {0.3, 3}},
                    Function{UnaryKind::kReciprocalSqrt, {0.3, 3}}, Function{UnaryKind::kErf},
                    Function{UnaryKind::kSin}, Function{UnaryKind::kCos}, Function{UnaryKind::kIdentity}),
    [](const auto& info) { return "f" + std::to_string(info.index); });

struct Combination {
  BinaryKind kind;
  Range rhs = {-1, 1};
};

class Combinations : public testing::TestWithParam<Combination> {};

TEST_P(Combinations, OfEqualShapes) {
  GradientCheck({{4, 5}, {4, 5}}, {{}, GetParam().rhs}).run([](GraphBuilder& w, const Operands& x) {
    return w.binary(GetParam().kind, x[0], x[1]);
  });
}

TEST_P(Combinations, Broadcast) {
  const auto body = [](GraphBuilder& w, const Operands& x) { return w.binary(GetParam().kind, x[0], x[1]); };
  GradientCheck({{2, 3, 4}, {3, 1}}, {{}, GetParam().rhs}).run(body);
  GradientCheck({{1, 4}, {2, 3, 1}}, {{}, GetParam().rhs}).run(body);
  GradientCheck({{3, 2}, {}}, {{}, GetParam().rhs}).run(body);
}

INSTANTIATE_TEST_SUITE_P(All, Combinations,
                         testing::Values(Combination{BinaryKind::kAdd}, Combination{BinaryKind::kSubtract},
                                         Combination{BinaryKind::kMultiply}, Combination{BinaryKind::kDivide, {0.5, 2}},
                                         Combination{BinaryKind::kMinimum}, Combination{BinaryKind::kMaximum},
                                         Combination{BinaryKind::kSquaredDifference}, Combination{BinaryKind::kPrelu}),
                         [](const auto& info) { return "f" + std::to_string(info.index); });

TEST(Rules, Power) {
  for (const double exponent : {2.0, 3.0, 2.5, -1.0}) {
    GradientCheck({{3, 4}}, {{0.5, 2}}).run([&](GraphBuilder& w, const Operands& x) {
      return w.binary(BinaryKind::kPower, x[0], w.scalar(x[0], exponent));
    });
  }
}

/// Nothing comes to the function that gives the value, which has no rule here.
TEST(Rules, StraightThrough) {
  graph::Graph graph;
  GraphBuilder w(graph, "forward");
  const TensorId x = w.input("x", graph::ElementType::kFloat64, {3});
  const TensorId result = w.binary(BinaryKind::kStraightThrough, w.unary(UnaryKind::kFloor, x), w.scaled(x, 4));
  const TensorId sum = w.reduce(ReduceKind::kSum, result, {0}, false);
  graph.outputs = {sum, differentiate(graph, sum, {x}).at(0)};
  const auto results =
      execute(graph, {make_value(graph::ElementType::kFloat64, {3}, std::vector<double>{1.5, -0.5, 2})});
  EXPECT_EQ(graph::elements<double>(results[0]), std::vector<double>{2});
  EXPECT_EQ(graph::elements<double>(results[1]), std::vector<double>(3, 4));
}

TEST(Rules, FusedActivations) {
  for (const Activation activation : {Activation::kRelu, Activation::kRelu6, Activation::kReluN1To1}) {
    GradientCheck({{4, 6}, {4, 6}}, {{-5, 5}, {-5, 5}}).run([&](GraphBuilder& w, const Operands& x) {
      return w.append(graph::Binary{BinaryKind::kAdd, activation}, {x[0], x[1]});
    });
  }
}

TEST(Rules, Select) {
  GradientCheck({{3, 4}, {1, 4}, {3, 1}}).run([](GraphBuilder& w, const Operands& x) {
    return w.select(w.less(x[0], w.scalar(x[0], 0)), x[1], x[2]);
  });
}

TEST(Rules, MatMul) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const auto body = [&](GraphBuilder& w, const Operands& x) { return w.append(graph::MatMul{ta, tb}, {x}); };
      const Shape a = ta ? Shape{2, 4, 3} : Shape{2, 3, 4}, b = tb ? Shape{2, 5, 4} : Shape{2, 4, 5};
      GradientCheck({a, b}).run(body);
      GradientCheck({a, b, {5}}).run(body);
      GradientCheck({a, Shape(b.begin() + 1, b.end())}).run(body);  // one matrix for all
    }
  }
}

TEST(Rules, Dense) {
  for (const Shape& input : {Shape{3, 4}, Shape{2, 3, 4}, Shape{4}}) {
    GradientCheck({input, {5, 4}, {5}}).run([](GraphBuilder& w, const Operands& x) {
      return w.append(graph::Dense{Activation::kRelu}, x);
    });
  }
}

TEST(Rules, Reduce) {
  for (const ReduceKind kind : {ReduceKind::kSum, ReduceKind::kMean, ReduceKind::kMax, ReduceKind::kMin}) {
    for (const std::vector<int>& axes : {std::vector<int>{1}, {0, -1}, {0, 1, 2}}) {
      for (const bool keep : {false, true}) {
        GradientCheck({{2, 3, 4}}).run([&](GraphBuilder& w, const Operands& x) {
          return w.reduce(kind, x[0], axes, keep);
        });
      }
    }
  }
}

TEST(Rules, Softmax) {
  for (const bool logarithm : {false, true}) {
    for (const int axis : {-1, 0}) {
      for (const float beta : {1.0F, 0.5F}) {
        GradientCheck({{3, 4}}, {{-3, 3}}).run([&](GraphBuilder& w, const Operands& x) {
          return w.append(graph::Softmax{axis, beta, logarithm}, {x[0]});
        });
      }
    }
  }
}

TEST(Rules, LayerNormalize) {
  GradientCheck({{2, 3, 5}, {5}, {5}}).run([](GraphBuilder& w, const Operands& x) {
    return w.append(graph::LayerNormalize{1e-3F}, x);
  });
}

TEST(Rules, LocalResponse) {
  for (const auto& [before, after] : {std::pair{1, 1}, {2, 0}, {0, 5}}) {
    GradientCheck({{2, 6}}).run([before = before, after = after](GraphBuilder& w, const Operands& x) {
      return w.append(graph::LocalResponse{before, after, 0.3F, 0.5F, 0.75F}, {x[0]});
    });
  }
}

TEST(Rules, Movement) {
  GradientCheck({{2, 6}}).run([](GraphBuilder& w, const Operands& x) { return w.reshape(x[0], {3, 4}); });
  GradientCheck({{2, 3, 4}}).run([](GraphBuilder& w, const Operands& x) { return w.transpose(x[0], {2, 0, 1}); });
  GradientCheck({{2, 3}, {2, 1}, {2, 2}}).run([](GraphBuilder& w, const Operands& x) { return w.concat(x, 1); });
  GradientCheck({{3, 4}}).run([](GraphBuilder& w, const Operands& x) { return w.pad(x[0], {1, -1}, {0, 2}); });
}

TEST(Rules, Slice) {
  const auto slice = [](std::vector<std::int64_t> begin, std::vector<std::int64_t> step, const Shape& shape) {
    GradientCheck({{4, 7}}).run([&](GraphBuilder& w, const Operands& x) { return w.slice(x[0], begin, step, shape); });
  };
  slice({1, 2}, {1, 1}, {2, 3});
  slice({0, 1}, {2, 3}, {2, 2});
  slice({3, 6}, {-1, -2}, {4, 4});
  slice({2, 5}, {-1, 5}, {1, 1});
}

TEST(Rules, Split) {
  GradientCheck({{2, 5}}).run([](GraphBuilder& w, const Operands& x) {
    const std::vector<TensorId> parts = w.split(x[0], 1, {2, 3});
    return w.multiply(parts[1], parts[1]);  // nothing depends on the other part
  });
}

TEST(Rules, Gather) {
  for (const int axis : {0, 1, -1}) {
    GradientCheck({{4, 3, 4}}).run([&](GraphBuilder& w, const Operands& x) {
      const TensorId indices =
          w.constant(make_value(graph::ElementType::kInt64, {2, 2}, std::vector<std::int64_t>{2, 0, -1, 2}));
      return w.append(graph::Gather{axis}, {x[0], indices});
    });
  }
}

}  // namespace
}  // namespace systole::training
