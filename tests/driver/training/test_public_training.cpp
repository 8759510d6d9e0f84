// SPDX-License-Identifier: Apache-2.0
// The public header: train() and TrainingStep take the same steps, and say what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "named_array.hpp"
#include "systole/errors.hpp"
#include "systole/execute.hpp"
#include "systole/training.hpp"

namespace systole::training {
namespace {

using graph::ElementType;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t kSamples = 12;

/// A line through numbers that are not on one: y = 2 a - b + 1 and a wave.
Data line() {
  std::vector<float> x, y;
  for (int i = 0; i < kSamples; ++i) {
    const auto a = static_cast<float>(i % 4), b = static_cast<float>(i % 3);
    x.insert(x.end(), {a, b});
    y.push_back(2 * a - b + 1 + 0.25F * std::sin(static_cast<float>(i)));
  }
  Data data;
  data.inputs = {{"", {"x", make_value(ElementType::kFloat32, {kSamples, 2}, x)}}};
  data.targets = {"y", make_value(ElementType::kFloat32, {kSamples}, y)};
  return data;
}

Options options() {
  Options options;
  options.batch = kSamples;
  options.epochs = 40;
  options.optimizer.kind = OptimizerKind::kAdam;
  options.schedule.rate = 0.1;
  return options;
}

NetworkChoice network() {
  NetworkChoice choice;
  choice.name = "mlp:2-1";
  return choice;
}

TEST(PublicTraining, LearnsALine) {
  std::size_t steps = 0, epochs = 0;
  Observers observers;
  observers.step = [&](const History& history, double rate) {
    EXPECT_EQ(history.losses.size(), ++steps);
    EXPECT_EQ(rate, 0.1);
    return true;
  };
  observers.epoch = [&](const History&) { return ++epochs < 30; };
  const Data data = line();
  const Result result = train(network(), data, &data, options(), {}, observers);
  EXPECT_EQ(epochs, 30U);
  EXPECT_EQ(result.history.losses.size(), 30U);
  EXPECT_LT(result.history.losses.back(), 0.1 * result.history.losses.front());
  ASSERT_EQ(result.parameters.size(), 2U);
  EXPECT_EQ(result.parameters[0].first, "dense1.weight");
  const auto& [loss, metrics] = *result.history.epochs.at(static_cast<std::size_t>(result.best_epoch - 1)).validation;
  EXPECT_NEAR(metrics.at(1).second, loss, 1e-5);  // the mean squared error
  // The network of the result has the best parameters.
  const auto y = graph::elements<float>(
      execute(result.network, {make_value(ElementType::kFloat32, {1, 2}, std::vector<float>{3, 1})}).at(0));
  const auto w = graph::elements<float>(result.parameters[0].second);
  const auto b = graph::elements<float>(result.parameters[1].second);
  EXPECT_NEAR(y.at(0), 3 * w[0] + w[1] + b[0], 1e-5);
  EXPECT_GT(to_onnx(result.network).size(), 100U);
}

TEST(PublicTraining, StepsAreThoseOfATraining) {
  Options one = options();
  one.epochs = 5;
  const Data data = line();
  const Result wanted = train(network(), data, nullptr, one);
  const TrainingStep step(network(), data, one);
  TrainingStep::State state = step.initial();
  EXPECT_EQ(step.parameters(), 2U);
  EXPECT_EQ(state.values.size(), 6U);  // mean and square of each
  for (std::size_t i = 0; i < 5; ++i) {
    const auto [next, loss] = step(state, data);
    EXPECT_NEAR(loss, wanted.history.losses[i], 1e-5 * loss);  // the order of the samples is another one
    state = next;
  }
  EXPECT_EQ(state.step, 5);
  EXPECT_EQ(step.network(state).outputs.size(), 1U);
  Data fewer = data;
  split_off(fewer.inputs[0].array.value, 3);
  split_off(fewer.targets.value, 3);
  EXPECT_THAT([&] { step(state, fewer); },
              ThrowsMessage<InvalidArgument>(HasSubstr("y: 3 samples; the step takes 12")));
  state.values.pop_back();
  EXPECT_THAT([&] { step(state, data); }, ThrowsMessage<InvalidArgument>(HasSubstr("give a state of this network")));
}

TEST(PublicTraining, BlocksAreOnRequest) {
  Options blocks = options();
  blocks.epochs = 1;
  const double exact = train(network(), line(), nullptr, blocks).history.losses.at(0);
  blocks.blocks = true;
  const double rounded = train(network(), line(), nullptr, blocks).history.losses.at(0);
  EXPECT_NE(rounded, exact);
  EXPECT_NEAR(rounded, exact, 0.05 * exact);
}

TEST(PublicTraining, SaysWhatIsWrong) {
  Data data = line();
  data.inputs[0].array.value.shape = {kSamples / 2, 4};
  EXPECT_THAT([&] { train(network(), data, nullptr, options()); },
              ThrowsMessage<InvalidArgument>(HasSubstr("x: 6 samples of shape 4; input 'x' of mlp:2-1 takes")));
  Options wrong = options();
  wrong.schedule.rate = -1;
  EXPECT_THAT([&] { train(network(), line(), nullptr, wrong); },
              ThrowsMessage<InvalidArgument>(HasSubstr("--learning-rate: -1; it must be above 0")));
  wrong.schedule.rate = 1e6;
  wrong.optimizer.kind = OptimizerKind::kSgd;
  EXPECT_THAT([&] { train(network(), line(), nullptr, wrong); },
              ThrowsMessage<Failure>(HasSubstr("use a smaller --learning-rate")));
}

}  // namespace
}  // namespace systole::training
