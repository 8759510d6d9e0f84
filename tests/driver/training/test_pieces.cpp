// SPDX-License-Identifier: Apache-2.0
// Loss, optimizers, schedules and dropout, each against a few lines of C++.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "dropout.hpp"
#include "learning_rate.hpp"
#include "loss.hpp"
#include "optimizer.hpp"
#include "systole/execute.hpp"

namespace systole::training {
namespace {

using graph::ElementType;
using graph::Value;
using Floats = std::vector<float>;

Value floats(const Shape& shape, const Floats& values) { return make_value(ElementType::kFloat32, shape, values); }
Value scalar(float value) { return floats({}, {value}); }

using Classes = std::vector<std::int32_t>;

/// Sum and metric of scores, [N,C] in binary32.
std::pair<float, float> loss_on_host(const Loss& given, const Shape& shape, const Floats& scores,
                                     const Value& targets) {
  graph::Graph graph;
  GraphBuilder w(graph, "loss");
  const TensorId x = w.input("scores", ElementType::kFloat32, shape);
  const TensorId y = w.input("targets", targets.type, targets.shape);
  const LossTerms loss = loss_of(w, given, x, y);
  graph.outputs = {loss.sum, loss.metric};
  validate(graph);
  const auto results = execute(graph, {floats(shape, scores), targets});
  return {graph::elements<float>(results[0])[0], graph::elements<float>(results[1])[0]};
}

Value classes(const Classes& values) {
  return make_value(ElementType::kInt32, {static_cast<std::int64_t>(values.size())}, values);
}

constexpr float kNoSample = -std::numeric_limits<float>::infinity();

double log_one_plus_exp(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// The logarithm of the softmax's denominator.
double log_sum(double a, double b, double c) {
  const double most = std::max({a, b, c});
  return std::log(std::exp(a - most) + std::exp(b - most) + std::exp(c - most)) + most;
}

TEST(Loss, CrossEntropyAndRightAnswers) {
  // Right, wrong, scores whose exponentials overflow, no sample.
  const Floats scores = {2, 1, 0, 0, 3, 1, 1000, 0, 0, 5, 5, 5};
  const auto [sum, right] = loss_on_host({LossKind::kCrossEntropy}, {4, 3}, scores, classes({0, 2, 1, -1}));
  EXPECT_NEAR(sum, log_sum(2, 1, 0) - 2 + log_sum(0, 3, 1) - 1 + log_sum(1000, 0, 0), 1e-3);
  EXPECT_EQ(right, 1);
}

TEST(Loss, CrossEntropyWithWeightsAndSmoothing) {
  const Floats scores = {2, 1, 0, 0, 3, 1, 5, 5, 5};
  const Value targets = classes({0, 2, -1});
  const double first = log_sum(2, 1, 0), second = log_sum(0, 3, 1);
  const auto weighted = loss_on_host({LossKind::kCrossEntropy, 1, 0, {0.5, 1, 4}}, {3, 3}, scores, targets);
  EXPECT_NEAR(weighted.first, 0.5 * (first - 2) + 4 * (second - 1), 1e-5);
  const auto smooth = loss_on_host({LossKind::kCrossEntropy, 1, 0.3, {}}, {3, 3}, scores, targets);
  EXPECT_NEAR(
      smooth.first,
      0.8 * (first - 2) + 0.1 * (first - 1) + 0.1 * first + 0.1 * second + 0.1 * (second - 3) + 0.8 * (second - 1),
      1e-5);
  const auto both = loss_on_host({LossKind::kCrossEntropy, 1, 0.3, {0.5, 1, 4}}, {3, 3}, scores, targets);
  EXPECT_NEAR(
      both.first,
      0.4 * (first - 2) + 0.1 * (first - 1) + 0.4 * first + 0.05 * second + 0.1 * (second - 3) + 3.2 * (second - 1),
      1e-5);
  EXPECT_EQ(both.second, 1);
  EXPECT_THROW(loss_on_host({LossKind::kCrossEntropy, 1, 0, {1, 2}}, {3, 3}, scores, targets), graph::GraphError);
}

TEST(Loss, BinaryOfOneScore) {
  // Right, right, wrong, undecided, no sample; a score whose exponential overflows, for and against the label.
  const Floats scores = {2, -3, 1, 0, 50, 1000, 1000};
  const Value labels = floats({7, 1}, {1, 0, 0, 1, kNoSample, 1, 0});
  const auto [sum, right] = loss_on_host({LossKind::kBinary}, {7, 1}, scores, labels);
  EXPECT_FLOAT_EQ(sum, static_cast<float>(log_one_plus_exp(-2) + log_one_plus_exp(-3) + log_one_plus_exp(1) +
                                          log_one_plus_exp(0) + 1000));
  EXPECT_EQ(right, 3);
}

TEST(Loss, BinaryWithWeightsAndSmoothing) {
  const auto [sum, right] =
      loss_on_host({LossKind::kBinary, 1, 0.2, {0.5, 3}}, {3, 1}, {2, -3, 1}, floats({3, 1}, {1, 0, kNoSample}));
  const double one = 0.9 * log_one_plus_exp(-2) + 0.1 * log_one_plus_exp(2);
  const double zero = 0.9 * log_one_plus_exp(-3) + 0.1 * log_one_plus_exp(3);
  EXPECT_NEAR(sum, 3 * one + 0.5 * zero, 1e-5);
  EXPECT_EQ(right, 2);
}

TEST(Loss, BinaryOfClasses) {
  const Floats scores = {4, -1, 0.5F, 2, 1, -2, 9, 9, 9};
  const auto [sum, right] = loss_on_host({LossKind::kBinary}, {3, 3}, scores, classes({0, 1, -1}));
  double expected = 0;
  for (const double wrong : {-4.0, -1.0, 0.5, 2.0, -1.0, -2.0}) {
    expected += log_one_plus_exp(wrong) / 3;
  }
  EXPECT_NEAR(sum, expected, 1e-6);
  EXPECT_EQ(right, 1);
}

TEST(Loss, BinaryOfSeveralLabels) {
  const auto [sum, share] = loss_on_host({LossKind::kBinary, 1, 0, {1, 2}}, {3, 2}, {4, -1, 2, 1, 9, 9},
                                         floats({3, 2}, {1, 1, 0, 1, kNoSample, kNoSample}));
  EXPECT_NEAR(
      sum, (log_one_plus_exp(-4) + 2 * log_one_plus_exp(1) + log_one_plus_exp(2) + 2 * log_one_plus_exp(-1)) / 2, 1e-5);
  EXPECT_EQ(share, 1);  // half of the labels of each of two samples
}

TEST(Loss, MeanSquareOfNumbers) {
  const auto [sum, error] =
      loss_on_host({LossKind::kMeanSquare}, {4, 1}, {3.25F, -1, 200, 7}, floats({4, 1}, {3, 0, 255, kNoSample}));
  EXPECT_FLOAT_EQ(sum, 0.0625F + 1 + 55 * 55);
  EXPECT_FLOAT_EQ(error, 0.25F + 1 + 55);
}

TEST(Loss, HuberOfNumbers) {
  const auto [sum, error] = loss_on_host({LossKind::kHuber, 2}, {3, 2}, {3.5F, -1, 12, 7, 0, 0},
                                         floats({3, 2}, {3, 1, 2, 7, kNoSample, kNoSample}));
  EXPECT_FLOAT_EQ(sum, (0.125F + 2 + 2 * (10 - 1) + 0) / 2);
  EXPECT_FLOAT_EQ(error, (0.5F + 2 + 10 + 0) / 2);
}

TEST(Loss, MeanSquareOfClassesIsOfOnesAndZeros) {
  const auto [sum, right] =
      loss_on_host({LossKind::kMeanSquare}, {3, 2}, {0.5F, 0.25F, 1, 3, 5, 5}, classes({0, 0, -1}));
  EXPECT_FLOAT_EQ(sum, (0.25F + 0.0625F + 0 + 9) / 2);
  EXPECT_EQ(right, 1);
}

TEST(Loss, CrossEntropyOfOneOutputIsRefused) {
  EXPECT_THROW(loss_on_host({LossKind::kCrossEntropy}, {1, 1}, {1}, classes({0})), graph::GraphError);
}

/// Three steps of an optimizer on one parameter of two dimensions; `expected` is one step in double.
class OptimizerCheck {
 public:
  explicit OptimizerCheck(const Optimizer& optimizer) : optimizer_(optimizer) {}

  template <class Expected>
  void run(const Expected& expected) {
    graph::Graph graph;
    GraphBuilder w(graph, "step");
    const Shape shape = {2, 2};
    const TensorId p = w.input("p", ElementType::kFloat32, shape), g = w.input("g", ElementType::kFloat32, shape);
    const auto number = [&](const char* name) { return w.input(name, ElementType::kFloat32, {}); };
    const OptimizerInputs inputs = {number("rate"), number("adam_rate"), number("adam_epsilon")};
    std::vector<OptimizerState> states;
    for (const std::string& name : state_names(optimizer_.kind)) {
      states.push_back({name, w.input(name, ElementType::kFloat32, shape)});
    }
    graph.outputs = {updated(w, optimizer_, inputs, {p, g, true}, states)};
    for (const OptimizerState& state : states) {
      graph.outputs.push_back(state.after);
    }
    validate(graph);
    Value value = floats(shape, {0.5F, -1, 2, 0.1F});
    std::vector<Value> kept(states.size(), floats(shape, {0, 0, 0, 0}));
    std::vector<double> p64 = {0.5, -1, 2, 0.1F}, a64(4), b64(4);
    for (int t = 1; t <= 3; ++t) {
      const Floats gradient = {0.1F * static_cast<float>(t), -0.3F, 1e-4F, 5};
      const AdamScalars adam = adam_scalars(optimizer_, 0.1, t);
      std::vector<Value> given = {value, floats(shape, gradient), scalar(0.1F), scalar(static_cast<float>(adam.rate)),
                                  scalar(static_cast<float>(adam.epsilon))};
      given.insert(given.end(), kept.begin(), kept.end());
      auto results = execute(graph, given);
      value = results[0];
      kept.assign(results.begin() + 1, results.end());
      for (std::size_t i = 0; i < p64.size(); ++i) {
        expected(p64[i], double{gradient[i]}, a64[i], b64[i], t);
        EXPECT_NEAR(graph::elements<float>(value)[i], p64[i], 1e-5) << "step " << t << ", element " << i;
      }
    }
  }

 private:
  const Optimizer optimizer_;
};

TEST(Optimizers, Sgd) {
  OptimizerCheck({OptimizerKind::kSgd}).run([](double& p, double g, double&, double&, int) { p -= 0.1 * g; });
}

TEST(Optimizers, MomentumWithDecay) {
  Optimizer optimizer{OptimizerKind::kMomentum};
  optimizer.weight_decay = 0.01;
  OptimizerCheck(optimizer).run([](double& p, double g, double& v, double&, int) {
    v = 0.9 * v + g + 0.01 * p;
    p -= 0.1 * v;
  });
}

/// PyTorch's Adam: the decay is part of the gradient.
TEST(Optimizers, AdamWithDecay) {
  Optimizer optimizer{OptimizerKind::kAdam};
  optimizer.weight_decay = 0.01;
  OptimizerCheck(optimizer).run([](double& p, double g, double& m, double& v, int t) {
    g += 0.01 * p;
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    p -= 0.1 * m / (1 - std::pow(0.9, t)) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
  });
}

/// PyTorch's AdamW: it is beside the step.
TEST(Optimizers, AdamWWithDecay) {
  Optimizer optimizer{OptimizerKind::kAdamW};
  optimizer.weight_decay = 0.01;
  OptimizerCheck(optimizer).run([](double& p, double g, double& m, double& v, int t) {
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double step = m / (1 - std::pow(0.9, t)) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
    p -= 0.1 * (step + 0.01 * p);
  });
}

TEST(Optimizers, DecayLeavesOthersAlone) {
  Optimizer decaying{OptimizerKind::kAdam};
  decaying.weight_decay = 0.01;
  for (const OptimizerKind kind :
       {OptimizerKind::kSgd, OptimizerKind::kMomentum, OptimizerKind::kAdam, OptimizerKind::kAdamW}) {
    decaying.kind = kind;
    graph::Graph graph;
    GraphBuilder w(graph, "step");
    const Optimizer plain{kind};
    const auto number = [&](const char* name) { return w.input(name, ElementType::kFloat32, {2, 2}); };
    const TensorId p = number("p"), g = number("g"), state = number("state");
    const OptimizerInputs inputs = {w.scalar(p, 0.1), w.scalar(p, 1), w.scalar(p, 1)};
    for (const Optimizer& optimizer : {plain, decaying}) {
      std::vector<OptimizerState> states(state_names(kind).size(), {"state", state});
      graph.outputs.push_back(updated(w, optimizer, inputs, {p, g, false}, states));
    }
    const auto results =
        execute(graph, {floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {1, -1, 0, 2}), floats({2, 2}, {0, 1, 0, 1})});
    EXPECT_EQ(results[0].data, results[1].data);
  }
}

TEST(Optimizers, ClippingByTheNorm) {
  for (const double limit : {1.0, 100.0}) {
    graph::Graph graph;
    GraphBuilder w(graph, "clip");
    const TensorId a = w.input("a", ElementType::kFloat32, {2}), b = w.input("b", ElementType::kFloat32, {1, 1});
    graph.outputs = clipped(w, {a, b}, limit);
    const auto results = execute(graph, {floats({2}, {3, 4}), floats({1, 1}, {12})});
    const float factor = limit == 1 ? 1.0F / 13 : 1;
    EXPECT_FLOAT_EQ(graph::elements<float>(results[0])[1], 4 * factor);
    EXPECT_FLOAT_EQ(graph::elements<float>(results[1])[0], 12 * factor);
  }
}

TEST(Schedules, Rates) {
  Schedule schedule{ScheduleKind::kConstant, 0.5, 4};
  EXPECT_DOUBLE_EQ(rate_of(schedule, 0), 0.125);
  EXPECT_DOUBLE_EQ(rate_of(schedule, 3), 0.5);
  EXPECT_DOUBLE_EQ(rate_of(schedule, 1000), 0.5);
  schedule.kind = ScheduleKind::kStep;
  schedule.every = 10;
  EXPECT_DOUBLE_EQ(rate_of(schedule, 9), 0.5);
  EXPECT_DOUBLE_EQ(rate_of(schedule, 25), 0.005);
  schedule.kind = ScheduleKind::kCosine;
  schedule.steps = 104;
  EXPECT_DOUBLE_EQ(rate_of(schedule, 4), 0.5);
  EXPECT_DOUBLE_EQ(rate_of(schedule, 54), 0.25);
  EXPECT_NEAR(rate_of(schedule, 104), 0, 1e-12);
  EXPECT_NEAR(rate_of(schedule, 200), 0, 1e-12);
}

/// What is left of ones, from a sample of the batch on if that is given.
Floats dropped(double rate, std::uint32_t layer, std::uint32_t seed, std::uint32_t step, const Shape& shape,
               std::optional<std::uint32_t> first = {}) {
  graph::Graph graph;
  GraphBuilder w(graph, "dropout");
  const TensorId x = w.input("x", ElementType::kFloat32, shape);
  const auto number = [&](const char* name) { return w.input(name, ElementType::kUint32, {}); };
  const RandomInputs random = {number("seed"), number("step"), first ? number("first") : graph::kNoTensor};
  graph.outputs = {dropout(w, x, rate, layer, random)};
  validate(graph);
  const auto word = [](std::uint32_t value) {
    return make_value(ElementType::kUint32, {}, std::vector<std::uint32_t>{value});
  };
  const Floats ones(static_cast<std::size_t>(graph::count(shape)), 1);
  std::vector<Value> inputs = {floats(shape, ones), word(seed), word(step)};
  if (first) {
    inputs.push_back(word(*first));
  }
  return graph::elements<float>(execute(graph, inputs).at(0));
}

double agreement(const Floats& a, const Floats& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                            [](float x, float y) { return (x == 0) == (y == 0) ? 1.0 : 0.0; }) /
         static_cast<double>(a.size());
}

TEST(Dropout, RateAndScale) {
  const Shape shape = {64, 500};
  for (const double rate : {0.1, 0.5, 0.8}) {
    const Floats kept = dropped(rate, 0, 1, 0, shape);
    EXPECT_NEAR(static_cast<double>(std::count(kept.begin(), kept.end(), 0.0F)) / 32000, rate, 0.01);
    EXPECT_FLOAT_EQ(*std::max_element(kept.begin(), kept.end()), static_cast<float>(1 / (1 - rate)));
  }
}

TEST(Dropout, AFunctionOfSeedStepLayerAndElement) {
  const Shape shape = {64, 500};
  const Floats first = dropped(0.5, 0, 1, 0, shape);
  EXPECT_EQ(first, dropped(0.5, 0, 1, 0, shape));
  // Two independent masks agree in half of the elements.
  EXPECT_NEAR(agreement(first, dropped(0.5, 0, 1, 1, shape)), 0.5, 0.015);
  EXPECT_NEAR(agreement(first, dropped(0.5, 0, 2, 0, shape)), 0.5, 0.015);
  EXPECT_NEAR(agreement(first, dropped(0.5, 1, 1, 0, shape)), 0.5, 0.015);
  // So do neighbours, and elements of neighbouring rows.
  for (const std::size_t distance : {1, 2, 16, 500}) {
    const Floats moved(first.begin() + static_cast<std::ptrdiff_t>(distance), first.end());
    EXPECT_NEAR(agreement({first.begin(), first.end() - static_cast<std::ptrdiff_t>(distance)}, moved), 0.5, 0.015);
  }
}

TEST(Dropout, OfAMicroBatchIsThatOfItsSamplesInTheBatch) {
  const Floats batch = dropped(0.5, 1, 3, 4, {12, 7, 5});
  for (const std::uint32_t first : {0, 4, 8}) {
    const auto begin = batch.begin() + static_cast<std::ptrdiff_t>(first) * 35;
    EXPECT_EQ(dropped(0.5, 1, 3, 4, {4, 7, 5}, first), Floats(begin, begin + 4 * 35)) << "from sample " << first;
  }
}

}  // namespace
}  // namespace systole::training
