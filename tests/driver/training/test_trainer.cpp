// SPDX-License-Identifier: Apache-2.0
// Training of small networks with small pictures: that it learns, and the loop's promises.
#include "trainer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "metrics.hpp"
#include "networks.hpp"
#include "small_pictures.hpp"
#include "systole/execute.hpp"

namespace systole::training {
namespace {

struct Plan {
  std::string network;
  OptimizerKind optimizer;
  double rate;
  double dropout = 0;
  bool batch_normalization = false;
};

class Learns : public testing::TestWithParam<Plan> {};

TEST_P(Learns, SmallPictures) {
  constexpr int kEpochs = 4;
  constexpr double kEnough = 0.8;
  NetworkOptions options;
  options.batch = 16;
  options.height = options.width = GetParam().network == "cnn" ? 14 : 8;
  options.scale = 0.25;
  options.dropout = GetParam().dropout;
  options.batch_normalization = GetParam().batch_normalization;
  const Dataset data = small_pictures(400, 1, options.height), fresh = small_pictures(100, 2, options.height);
  Optimizer optimizer{GetParam().optimizer};
  const Step step = training_step(network(GetParam().network, options), optimizer);
  options.training = false;
  const Step evaluation = evaluation_step(network(GetParam().network, options));
  validate(step.graph);
  const Stepper stepper(step, optimizer, {ScheduleKind::kConstant, GetParam().rate}, 1,
                        [](const auto& graph, const auto& inputs) { return execute(graph, inputs); });
  Trainer trainer(stepper, evaluation);
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const auto order = trainer.order(data);
    while (trainer.state().batch < trainer.batches(data)) {
      trainer.step(data, order);
    }
    trainer.end_epoch(data.kind, &fresh);
  }
  const History& history = trainer.state().history;
  EXPECT_EQ(history.losses.size(), kEpochs * 25U);
  EXPECT_LT(history.epochs.back().training.loss, history.epochs.front().training.loss);
  const Metrics& metrics = history.epochs.back().validation->metrics;
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].first, kAccuracy);
  EXPECT_GE(metrics[0].second, kEnough);
  EXPECT_EQ(metrics[1].first, kTop5);
  EXPECT_GE(metrics[1].second, metrics[0].second);
  ASSERT_TRUE(trainer.state().best);
  EXPECT_DOUBLE_EQ(trainer.evaluate(fresh, trainer.state().best->parameters).loss, trainer.state().best->loss);
}

INSTANTIATE_TEST_SUITE_P(
    All, Learns,
    testing::Values(Plan{"cnn", OptimizerKind::kSgd, 0.1}, Plan{"cnn", OptimizerKind::kMomentum, 0.02},
                    Plan{"cnn", OptimizerKind::kAdam, 0.003, 0.3}, Plan{"cnn", OptimizerKind::kAdam, 0.003, 0, true},
                    Plan{"vit", OptimizerKind::kAdam, 0.005, 0.1}, Plan{"lstm", OptimizerKind::kAdam, 0.01}),
    [](const auto& info) { return info.param.network + std::to_string(info.index); });

TEST(Dataset, OrdersArePermutationsThatDiffer) {
  auto first = order_of(100, 1, 0);
  EXPECT_EQ(first, order_of(100, 1, 0));
  EXPECT_NE(first, order_of(100, 1, 1));
  EXPECT_NE(first, order_of(100, 2, 0));
  std::sort(first.begin(), first.end());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i], i);
  }
}

TEST(Dataset, TheLastBatchIsFilledUp) {
  const Dataset data = small_pictures(5, 1);
  const Batch batch = batch_of(data, {0, 1, 2, 3, 4}, 4, 2);
  const auto labels = graph::elements<std::int32_t>(data.targets);
  EXPECT_EQ(graph::elements<std::int32_t>(batch.targets), (std::vector<std::int32_t>{labels[4], -1}));
  EXPECT_EQ(batch.inputs.at(0).shape, (Shape{2, 1, 8, 8}));
}

TEST(LossPlot, ShowsLossesAndEscapesTheTitle) {
  History history;
  history.losses = {2.3, 1.0, 0.5, 0.4};
  history.epochs = {{{1.0, {{kAccuracy, 0.5}}}, Score{0.6, {{kAccuracy, 0.8}}}}};
  const std::string svg = loss_svg(history, "a<b");
  EXPECT_NE(svg.find("a&lt;b"), std::string::npos);
  EXPECT_NE(svg.find("<polyline"), std::string::npos);
  EXPECT_NE(svg.find("epoch 1: loss 0.6000, accuracy 80.00 %"), std::string::npos);
  EXPECT_NE(loss_svg({}, "nothing yet").find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace systole::training
