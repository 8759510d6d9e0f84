// SPDX-License-Identifier: Apache-2.0
// Networks on the functional model against the same graph on the host: every tensor that a program outputs.
#include "systole/zoo.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>

#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole {
namespace {

graph::Value random_input(const graph::Tensor& tensor, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(graph::count(tensor.shape)));
  for (auto& byte : bytes) {
    byte = static_cast<std::uint8_t>(random());
  }
  return graph::make_value(tensor.type, tensor.shape, bytes);
}

class Zoo : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Zoo, AgreesWithTheHost) {
  const auto [name, configuration] = GetParam();
  const graph::Graph graph = zoo::network(name, 1);
  BackendOptions options;
  options.configuration = configuration;
  Device device = Device::open(options, "model");
  Network network(device, graph);
  const std::vector<graph::Value> inputs = {random_input(graph.tensor(graph.inputs[0]), 5)};
  RunOptions run;
  run.check = true;
  const auto found = network.run(inputs, run);
  const auto expected = graph::execute(graph, inputs);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].data, expected[i].data) << "output " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Small, Zoo, testing::Combine(testing::Values("resnet8", "vww", "kws", "ad"), testing::Values("default", "tiny")),
    [](const auto& info) { return fmt::format("{}_{}", std::get<0>(info.param), std::get<1>(info.param)); });

}  // namespace
}  // namespace systole
