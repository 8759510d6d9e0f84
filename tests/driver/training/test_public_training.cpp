// SPDX-License-Identifier: Apache-2.0
// The public header: train() and TrainingStep take the same steps, and say what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <future>
#include <memory>
#include <optional>
#include <vector>

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

TEST(PublicTraining, ARunnerServesSeveralTrainings) {
  Options square = options();
  square.epochs = 4;
  square.blocks = true;
  Options huber = square;
  huber.loss_kind = LossKind::kHuber;
  huber.loss.huber_delta = 0.5;
  const Runner shared = on_host(true);
  for (const Options& one : {square, huber, square}) {
    EXPECT_EQ(train(network(), line(), nullptr, one, shared).history.losses,
              train(network(), line(), nullptr, one, on_host(true)).history.losses);
  }
}

/// Networks y = w x + 1, as a training gives them, with slopes w of 0 to 15, which blocks hold exactly.
std::vector<graph::Graph> slopes(int count) {
  Options one = options();
  one.epochs = 1;
  graph::Graph graph = train(network(), line(), nullptr, one).network;
  std::vector<graph::Graph> graphs;
  for (int i = 0; i < count; ++i) {
    for (graph::Tensor& tensor : graph.tensors) {
      if (tensor.constant && tensor.type == ElementType::kFloat32) {
        const auto elements = static_cast<std::size_t>(graph::count(tensor.shape));
        const float value = elements == 1 ? 1 : static_cast<float>(i % 16);
        tensor.constant = std::make_shared<const graph::Bytes>(
            make_value(ElementType::kFloat32, tensor.shape, std::vector<float>(elements, value)).data);
      }
    }
    graphs.push_back(graph);
  }
  return graphs;
}

TEST(PublicTraining, ARunnerTellsGraphsFromThoseThatHadTheirAddress) {
  const std::vector<graph::Graph> graphs = slopes(2);
  const graph::Value one = make_value(ElementType::kFloat32, {1, 2}, std::vector<float>{1, 0});
  const Runner run = on_host(true);
  std::optional<graph::Graph> here;
  for (const int slope : {0, 1}) {
    here.emplace(graphs.at(static_cast<std::size_t>(slope)));
    EXPECT_EQ(graph::elements<float>(run(*here, {one}).at(0)), std::vector<float>{1.0F + slope});
  }
  *here = graphs[0];
  EXPECT_EQ(graph::elements<float>(run(*here, {one}).at(0)), std::vector<float>{1});
}

TEST(PublicTraining, ThreadsShareARunnerOfTheHost) {
  constexpr int kThreads = 4, kRounds = 200, kGraphs = 64;
  const std::vector<graph::Graph> graphs = slopes(kGraphs);
  const graph::Value one = make_value(ElementType::kFloat32, {1, 2}, std::vector<float>{1, 0});
  const Runner run = on_host(true);
  std::barrier<> together(kThreads);
  std::vector<std::future<int>> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.push_back(std::async(std::launch::async, [&] {
      int right = 0;
      for (int round = 0; round < kRounds; ++round) {
        const std::vector<graph::Graph> own = graphs;
        together.arrive_and_wait();
        for (int i = 0; i < kGraphs; ++i) {
          const graph::Value y = run(own[static_cast<std::size_t>(i)], {one}).at(0);
          right += graph::elements<float>(y).at(0) == static_cast<float>(1 + i % 16) ? 1 : 0;
        }
      }
      return right;
    }));
  }
  for (std::future<int>& right : threads) {
    EXPECT_EQ(right.get(), kRounds * kGraphs);
  }
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
