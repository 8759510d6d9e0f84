// SPDX-License-Identifier: Apache-2.0
// The cost model against the core, layer by layer, on whole networks, and upper bounds of their cycles. Cycle counts
// are the same in every run.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "network_builder.hpp"
#include "systole/network.hpp"
#include "systole/zoo.hpp"

namespace systole {
namespace {

constexpr std::uint64_t kShortest = 2000;  // shorter layers are not compared, in cycles
constexpr double kMostError = 0.05;
constexpr double kMeanError = 0.03;

struct SpeedLimits {
  const char* network;
  std::uint64_t most_cycles;  ///< 0: no bound
  double least_utilization;   ///< 0: no bound
};

/// 2x2 average pools between layers of all kinds.
graph::Graph pools() {
  using zoo::Border;
  zoo::NetworkBuilder net("pools", 1);
  graph::TensorId x = net.conv(net.input({1, 64, 64, 3}), 32, 3, 1, Border::kSame, Activation::kRelu);
  x = net.average_pool(x, 2, 2, Border::kValid);
  x = net.conv(x, 48, 3, 1, Border::kSame, Activation::kNone);
  x = net.average_pool(x, 2, 2, Border::kValid);
  x = net.depthwise(x, 3, 1, Activation::kRelu);
  x = net.average_pool(x, 2, 1, Border::kSame);
  x = net.add(net.conv(x, 48, 1, 1, Border::kSame, Activation::kNone), x, Activation::kRelu);
  x = net.average_pool(x, 2, 1, Border::kSame);
  x = net.max_pool(x, 2, 2, Border::kValid);
  const auto [kept, worked] = net.halves(x);
  x = net.concat(kept,
                 net.conv(net.average_pool(worked, 2, 1, Border::kSame), 24, 3, 1, Border::kSame, Activation::kNone));
  return net.finish(net.dense(net.flatten(net.average_pool(x, 2, 2, Border::kValid)), 10, Activation::kNone));
}

graph::Graph network_of(const std::string& name) { return name == "pools" ? pools() : zoo::network(name, 1); }

class Prediction : public testing::TestWithParam<SpeedLimits> {};

TEST_P(Prediction, IsNearTheCore) {
  const graph::Graph graph = network_of(GetParam().network);
  Device device = Device::open({}, "rtl");
  Network network(device, graph);
  const graph::Tensor& input = graph.tensor(graph.inputs.at(0));
  network.run({{input.type, input.shape, graph::Bytes(static_cast<std::size_t>(graph::count(input.shape)), 1)}});
  double sum = 0;
  int layers = 0;
  std::uint64_t cycles = 0;
  std::uint64_t macs = 0;
  int segments = 0;
  for (const StepReport& step : network.steps()) {
    segments += step.on_device ? 1 : 0;
    cycles += step.stats.cycles;
    macs += step.stats.useful_macs;
    for (const LayerReport& layer : step.layers) {
      if (layer.cycles > kShortest) {
        const double error =
            std::abs(static_cast<double>(layer.predicted_cycles) / static_cast<double>(layer.cycles) - 1);
        EXPECT_LE(error, kMostError) << layer.name << ": " << layer.predicted_cycles << " predicted, " << layer.cycles
                                     << " measured";
        sum += error;
        ++layers;
      }
    }
  }
  const int dim = device.configuration().dim;
  const double utilization = static_cast<double>(macs) / (static_cast<double>(cycles) * dim * dim);
  fmt::print("{}: {} cycles, utilization {:.1f} %, {} layers of more than {} cycles, mean error {:.2f} %\n",
             GetParam().network, cycles, 100 * utilization, layers, kShortest, layers == 0 ? 0 : 100 * sum / layers);
  EXPECT_LE(sum, kMeanError * layers);
  EXPECT_EQ(segments, 1);
  if (GetParam().most_cycles != 0) {
    EXPECT_LE(cycles, GetParam().most_cycles);
  }
  EXPECT_GE(utilization, GetParam().least_utilization);
}

INSTANTIATE_TEST_SUITE_P(Networks, Prediction,
                         testing::Values(SpeedLimits{"resnet50", 0, 0.93}, SpeedLimits{"mobilenetv2", 0, 0.60},
                                         SpeedLimits{"resnet8", 56'000, 0}, SpeedLimits{"vww", 62'000, 0},
                                         SpeedLimits{"kws", 22'000, 0}, SpeedLimits{"ad", 0, 0},
                                         SpeedLimits{"pools", 0, 0}),
                         [](const auto& instance) { return std::string(instance.param.network); });

}  // namespace
}  // namespace systole
