// SPDX-License-Identifier: Apache-2.0
// Steps in micro-batches, over ranks that are threads: the same bits for any number of ranks, and the step that the
// whole batch would take.
#include "data_parallel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "networks.hpp"
#include "scaling.hpp"
#include "small_pictures.hpp"
#include "systole/errors.hpp"
#include "systole/execute.hpp"
#include "thread_ranks.hpp"
#include "trainer.hpp"

namespace systole::training {
namespace {

using graph::Value;

constexpr std::int64_t kBatch = 12, kSide = 10;

struct Plan {
  OptimizerKind optimizer = OptimizerKind::kSgd;
  double dropout = 0, clip = 0, decay = 0;
  bool batch_normalization = false;
};

Optimizer optimizer_of(const Plan& plan) {
  Optimizer optimizer{plan.optimizer};
  optimizer.clip_norm = plan.clip;
  optimizer.weight_decay = plan.decay;
  return optimizer;
}

Network network_of(const Plan& plan, std::int64_t batch, bool training, bool micro_batch) {
  NetworkOptions options;
  options.batch = batch;
  options.height = options.width = kSide;
  options.scale = 0.1;
  options.dropout = plan.dropout;
  options.batch_normalization = plan.batch_normalization;
  options.training = training;
  options.micro_batch = micro_batch;
  return cnn(options);
}

std::vector<Value> run(const graph::Graph& graph, const std::vector<Value>& inputs) { return execute(graph, inputs); }

/// What is left after an epoch of three steps and a validation.
State trained(Trainer& trainer, const Dataset& data) {
  const auto order = trainer.order(data);
  while (trainer.state().batch < trainer.batches(data)) {
    trainer.step(data, order);
  }
  const Dataset fresh = small_pictures(30, 2, kSide);
  trainer.end_epoch(data.kind, &fresh);
  return trainer.state();
}

const Schedule kSchedule = {ScheduleKind::kConstant, 0.01};

State whole(const Plan& plan) {
  const Dataset data = small_pictures(3 * kBatch, 1, kSide);
  const Step step = training_step(network_of(plan, kBatch, true, false), optimizer_of(plan));
  const Step evaluation = evaluation_step(network_of(plan, kBatch, false, false));
  const Stepper stepper(step, optimizer_of(plan), kSchedule, 5, run);
  Trainer trainer(stepper, evaluation);
  return trained(trainer, data);
}

State in_parts(const Plan& plan, std::int64_t parts, ranks::Ranks& ranks) {
  const Dataset data = small_pictures(3 * kBatch, 1, kSide);
  const SplitStep step = split_step(network_of(plan, kBatch / parts, true, true), optimizer_of(plan), parts);
  validate(step.gradient.graph);
  validate(step.update.graph);
  const Step evaluation = evaluation_step(network_of(plan, kBatch, false, false));
  const DataParallel parallel(step, parts, ranks, {}, run);
  EXPECT_EQ(parallel.batch_size(), static_cast<std::size_t>(kBatch));
  const Stepper stepper(step.update, optimizer_of(plan), kSchedule, 5, run, &parallel);
  Trainer trainer(stepper, evaluation);
  return trained(trainer, data);
}

void expect_same(const State& a, const State& b, const std::string& which) {
  EXPECT_EQ(a.history.losses, b.history.losses) << which;
  EXPECT_EQ(a.history.epochs[0].training.metrics, b.history.epochs[0].training.metrics) << which;
  EXPECT_EQ(a.history.epochs[0].validation->loss, b.history.epochs[0].validation->loss) << which;
  ASSERT_EQ(a.values.size(), b.values.size());
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    EXPECT_EQ(a.values[i].data, b.values[i].data) << which << ", variable " << i;
  }
}

class MicroBatches : public testing::TestWithParam<Plan> {};

TEST_P(MicroBatches, AreTheSameOnAnyNumberOfRanks) {
  const State one = in_parts(GetParam(), 4, *ranks::alone());
  for (const int size : {2, 3, 4}) {
    ranks::in_threads(size, [&](ranks::Ranks& ranks) {
      expect_same(in_parts(GetParam(), 4, ranks), one, std::to_string(ranks.rank()) + " of " + std::to_string(size));
    });
  }
}

TEST_P(MicroBatches, OneIsTheWholeBatch) {
  expect_same(in_parts(GetParam(), 1, *ranks::alone()), whole(GetParam()), "one micro-batch");
}

/// But for rounding. A batch normalization sees other statistics.
TEST_P(MicroBatches, SumToTheWholeBatch) {
  if (GetParam().batch_normalization) {
    return;
  }
  const State parts = in_parts(GetParam(), 3, *ranks::alone()), all = whole(GetParam());
  EXPECT_EQ(parts.history.epochs[0].training.metrics, all.history.epochs[0].training.metrics);
  for (std::size_t i = 0; i < all.history.losses.size(); ++i) {
    EXPECT_NEAR(parts.history.losses[i], all.history.losses[i], 1e-5 * std::abs(all.history.losses[i])) << "step " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MicroBatches,
                         testing::Values(Plan{}, Plan{OptimizerKind::kMomentum, 0.3, 0.5, 0.01},
                                         Plan{OptimizerKind::kAdam, 0.2, 0.1},
                                         Plan{OptimizerKind::kAdamW, 0, 0, 0.01, true}));

TEST(MicroBatch, EachRankHasOneOrMore) {
  const SplitStep step = split_step(network_of({}, 6, true, true), {}, 2);
  ranks::in_threads(3, [&](ranks::Ranks& ranks) {
    EXPECT_THAT([&] { DataParallel(step, 2, ranks, {}, run); },
                testing::ThrowsMessage<InvalidArgument>(testing::HasSubstr("2 micro-batches for 3 ranks")));
  });
}

TEST(MicroBatch, TheRunningStatisticsAreTheMean) {
  const Plan plan{OptimizerKind::kSgd, 0, 0, 0, true};
  const SplitStep step = split_step(network_of(plan, 4, true, true), {}, 3);
  std::size_t at = 0;
  while (step.update.variables.at(at).name != "conv1.norm.mean") {
    ++at;
  }
  std::vector<Value> inputs;
  for (const graph::TensorId id : step.update.graph.inputs) {
    const graph::Tensor& tensor = step.update.graph.tensor(id);
    const auto numbers = static_cast<std::size_t>(graph::count(tensor.shape));
    const float value = tensor.name == "conv1.norm.mean.sum" ? 6 : 1;
    inputs.push_back(make_value(tensor.type, tensor.shape, std::vector<float>(numbers, value)));
  }
  EXPECT_FLOAT_EQ(graph::elements<float>(run(step.update.graph, inputs).at(at)).at(0), 2);
}

TEST(Scaling, FromTheCyclesOfTheParts) {
  StepCost cost{2, 10'000, 300, 500, 80'000, {}};
  EXPECT_DOUBLE_EQ(step_cycles(cost, 1), 2 * 10'000 + 300 + 500);
  const double along = ranks::ordered_sum_cycles(cost.link, 2, 80'000, 1, {2, 300});
  const double scattered = ranks::scattered_sum_cycles(cost.link, {1, 2, false}, 80'000, {2, 300});
  EXPECT_DOUBLE_EQ(exchange_cycles(cost, 2), std::min(along, scattered));
  double before = exchange_cycles(cost, 256);
  for (const char* topology : {"ring", "torus"}) {  // each has the links of the one before
    cost.topology = topology;
    EXPECT_LT(exchange_cycles(cost, 256), before) << topology;
    before = exchange_cycles(cost, 256);
  }
  cost.topology = "chain";
  EXPECT_DOUBLE_EQ(step_cycles(cost, 2), 20'000 + exchange_cycles(cost, 2) + 500);
  EXPECT_DOUBLE_EQ(speedup(cost, 1), 1);
  EXPECT_LT(speedup(cost, 8), 8);
  cost.link = {1e9, 0};
  cost.addition = 0;
  EXPECT_NEAR(speedup(cost, 256), 256, 1e-3);
}

}  // namespace
}  // namespace systole::training
