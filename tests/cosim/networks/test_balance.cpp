// SPDX-License-Identifier: Apache-2.0
// Layers of small random networks on the core: results equal the host's, cycles and multiply-accumulates add up, no
// layer exceeds the core's multipliers (checked by Network::run(), which would throw); on the default core the cost
// model is close. Seeds are fixed; SYSTOLE_SEED sets another first one.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "graph_listing.hpp"
#include "random_network.hpp"
#include "seed.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"
#include "systole/throughput.hpp"

namespace systole {
namespace {

constexpr std::uint64_t kShortest = 2000;  // shorter layers are not compared, in cycles

graph::Value random_input(const graph::Graph& graph, std::uint64_t seed) {
  const graph::Tensor& tensor = graph.tensor(graph.inputs.at(0));
  std::mt19937_64 random(seed);
  graph::Bytes bytes(static_cast<std::size_t>(graph::count(tensor.shape)));
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(random());
  }
  return {tensor.type, tensor.shape, std::move(bytes)};
}

void check(const char* configuration, int networks, double most_error) {
  const std::uint64_t first = test::seed();
  int layers = 0;
  double worst = 0;
  for (int i = 0; i < networks; ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    SCOPED_TRACE(fmt::format("{}, seed {}", configuration, seed));
    const graph::Graph graph = test::random_network(seed);
    BackendOptions options;
    options.configuration = configuration;
    Device device = Device::open(options, "rtl");
    Network network(device, graph);
    const graph::Value input = random_input(graph, seed);
    ASSERT_EQ(network.run({input}).at(0).data, graph::execute(graph, {input}).at(0).data);
    std::uint64_t macs = 0;
    for (const StepReport& step : network.steps()) {
      std::uint64_t cycles = 0;
      std::int64_t predicted = 0;
      for (const LayerReport& layer : step.layers) {
        cycles += layer.cycles;
        predicted += layer.predicted_cycles;
        macs += layer.macs;
        EXPECT_LE(multiplier_share(layer.macs, layer.cycles, device.configuration().dim), 1.0) << layer.name;
        if (layer.cycles > kShortest) {
          const double error =
              std::abs(static_cast<double>(layer.predicted_cycles) / static_cast<double>(layer.cycles) - 1);
          EXPECT_LE(error, most_error) << layer.name << ": " << layer.predicted_cycles << " predicted, " << layer.cycles
                                       << " measured";
          worst = std::max(worst, error);
          ++layers;
        }
      }
      EXPECT_EQ(cycles, step.stats.cycles);
      EXPECT_EQ(predicted, step.predicted_cycles);
    }
    EXPECT_EQ(macs, graph::total_macs(graph));
  }
  fmt::print("{}: {} networks, {} layers of more than {} cycles, the worst {:.1f} % off\n", configuration, networks,
             layers, kShortest, 100 * worst);
  EXPECT_GT(layers, 0);
}

TEST(Balance, tiny) { check("tiny", 24, 1); }
TEST(Balance, default) { check("default", 24, 0.05); }

}  // namespace
}  // namespace systole
