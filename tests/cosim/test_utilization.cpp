// SPDX-License-Identifier: Apache-2.0
// Array utilization of the Verilated core (doorbell to interrupt, memory latency 100, dense operands in device memory)
// against its targets, and against the cost model's prediction.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "benchmark_suite.hpp"
#include "seed.hpp"
#include "systole/backends.hpp"
#include "systole/execute.hpp"
#include "systole/graph_value.hpp"
#include "systole/network.hpp"

namespace systole::cosim {
namespace {

constexpr double kModelError = 0.03;  // maximum error of the cost model

std::vector<cli::Work> works_with_target() {
  std::vector<cli::Work> list;
  for (const cli::Work& work : cli::benchmark_suite()) {
    if (work.target > 0) {
      list.push_back(work);
    }
  }
  return list;
}

class Utilization : public ::testing::TestWithParam<cli::Work> {};

TEST_P(Utilization, ReachesItsTarget) {
  if (!has_backend("rtl")) {
    GTEST_SKIP() << "this build has no RTL back end";
  }
  const cli::Work& work = GetParam();
  Device device = Device::open({}, "rtl");
  cli::RunSettings settings;
  settings.seed = test::seed();
  const cli::Run run = cli::run_work(device, work, settings);
  fmt::print("{}: {} cycles, {:.2f} % of the array (target {:.0f} %), estimated {}\n", run.name, run.stats.cycles,
             100 * run.utilization(), 100 * work.target, run.estimated_cycles);
  EXPECT_EQ(run.verdict(), cli::Verdict::kExact) << run.difference;
  EXPECT_GE(run.utilization(), work.target);
  const auto cycles = static_cast<double>(run.stats.cycles);
  EXPECT_NEAR(static_cast<double>(run.estimated_cycles), cycles, kModelError * cycles);
  for (const auto& engine : run.stats.causes) {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : engine) {
      sum += count;
    }
    EXPECT_EQ(sum, run.stats.cycles);
  }
}

INSTANTIATE_TEST_SUITE_P(rtl_default, Utilization, ::testing::ValuesIn(works_with_target()),
                         [](const auto& info) { return std::string(info.param.name); });

/// The compiler schedules for the device's memory, and knows how long that takes.
TEST(Prediction, FollowsTheMemoryOfTheDevice) {
  if (!has_backend("rtl")) {
    GTEST_SKIP() << "this build has no RTL back end";
  }
  const std::vector<cli::Work>& suite = cli::benchmark_suite();
  const auto work =
      std::find_if(suite.begin(), suite.end(), [](const cli::Work& one) { return one.name == "matmul_256"; });
  ASSERT_NE(work, suite.end());
  std::vector<std::uint64_t> cycles;
  for (const MemoryTiming& memory :
       {MemoryTiming{20, 20}, MemoryTiming{}, MemoryTiming{400, 400}, MemoryTiming{100, 100, 2, 2}}) {
    BackendOptions options;
    options.memory = memory;
    Device device = Device::open(options, "rtl");
    cli::RunSettings settings;
    settings.seed = test::seed();
    const cli::Run run = cli::run_work(device, *work, settings);
    fmt::print("latency {}, interval {}: {} cycles, estimated {}\n", memory.read_latency, memory.read_interval,
               run.stats.cycles, run.estimated_cycles);
    EXPECT_EQ(run.verdict(), cli::Verdict::kExact);
    const auto measured = static_cast<double>(run.stats.cycles);
    EXPECT_NEAR(static_cast<double>(run.estimated_cycles), measured, 0.015 * measured);
    cycles.push_back(run.stats.cycles);
  }
  EXPECT_LT(cycles[0], cycles[1]);
  EXPECT_LT(cycles[1], cycles[2]);
}

/// A product of float32 in block floating point, with what makes its operand float32 or blocks in layers of their own.
graph::Graph in_blocks(graph::OperatorKind kind, const graph::Shape& input, const graph::Shape& weights,
                       const graph::Shape& output) {
  graph::Graph graph;
  graph.name = "product";
  const auto tensor = [&](const char* name, const graph::Shape& shape) {
    graph::Tensor& added = graph.tensors.emplace_back();
    added.name = name;
    added.type = graph::ElementType::kFloat32;
    added.shape = shape;
    return static_cast<graph::TensorId>(graph.tensors.size()) - 1;
  };
  const auto floats = [](const graph::Shape& shape) {
    std::mt19937 random(static_cast<std::uint32_t>(test::seed()));
    std::vector<float> values(static_cast<std::size_t>(graph::count(shape)));
    std::generate(values.begin(), values.end(), [&] { return std::uniform_real_distribution<float>(-1, 1)(random); });
    return graph::make_value(graph::ElementType::kFloat32, shape, values);
  };
  graph::Operator op;
  op.name = "product";
  op.kind = std::move(kind);
  op.arithmetic = graph::Arithmetic::kBlocks;
  op.inputs = {tensor("input", input), tensor("weights", weights)};
  op.outputs = {tensor("output", output)};
  graph.tensors[1].constant = std::make_shared<const graph::Bytes>(floats(weights).data);
  graph.inputs = {0};
  graph.outputs = {2};
  graph.operators.push_back(std::move(op));
  return graph;
}

/// The layer of the product, without the conversion of its operand.
void expect_busy_array(const graph::Graph& graph, double target) {
  if (!has_backend("rtl")) {
    GTEST_SKIP() << "this build has no RTL back end";
  }
  Device device = Device::open({}, "rtl");
  Network network(device, graph);
  const graph::Shape& shape = graph.tensor(0).shape;
  std::vector<float> values(static_cast<std::size_t>(graph::count(shape)), 1.5F);
  const std::vector<graph::Value> inputs{graph::make_value(graph::ElementType::kFloat32, shape, values)};
  EXPECT_EQ(network.run(inputs).at(0).data, graph::execute(graph, inputs).at(0).data);
  const StepReport& step = network.steps().at(0);
  for (const LayerReport& layer : step.layers) {
    if (layer.macs > 0) {
      const int dim = device.configuration().dim;
      const double used = static_cast<double>(layer.macs) / (static_cast<double>(layer.cycles) * dim * dim);
      fmt::print("{}: {} cycles, {:.2f} % of the array (target {:.0f} %); with its operand {} cycles\n", layer.name,
                 layer.cycles, 100 * used, 100 * target, step.stats.cycles);
      EXPECT_GE(used, target);
    }
  }
  const auto cycles = static_cast<double>(step.stats.cycles);
  EXPECT_NEAR(static_cast<double>(step.predicted_cycles), cycles, kModelError * cycles);
}

TEST(UtilizationInBlocks, OfAMatrixProduct) {
  expect_busy_array(in_blocks(graph::Dense{}, {512, 512}, {512, 512}, {512, 512}), 0.97);
}

TEST(UtilizationInBlocks, OfAConvolution) {
  graph::Conv2d conv;
  conv.window = {3, 3, 1, 1, 1, 1, 1, 1, 1, 1};
  expect_busy_array(in_blocks(conv, {1, 28, 28, 128}, {128, 3, 3, 128}, {1, 28, 28, 128}), 0.95);
}

}  // namespace
}  // namespace systole::cosim
