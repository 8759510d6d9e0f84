// SPDX-License-Identifier: Apache-2.0
// A token's step on the functional model: the heads' kernels of every size compute what the host does.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "llama2_block_graph.hpp"
#include "llama2_checkpoint.hpp"
#include "made_llama.hpp"
#include "systole/configurations.hpp"
#include "systole/device.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole::llama2 {
namespace {

using test::Header;

/// A head's half for all keys, the part that a rotation exchanges, is 1, 2, 3, ... rows of 16 lanes.
constexpr Header kSizes[] = {
    {32, 40, 1, 1, 1, 40, 20},  {64, 70, 1, 8, 4, 40, 20},  {64, 70, 1, 2, 2, 40, 20},
    {96, 100, 1, 2, 2, 40, 20}, {96, 100, 1, 6, 3, 40, 20}, {128, 64, 1, 4, 4, 40, 20},
    {128, 64, 1, 8, 2, 40, 20}, {160, 32, 1, 5, 5, 40, 20}, {192, 64, 1, 4, 2, 40, 20},
};

class Steps : public testing::TestWithParam<std::tuple<Header, const char*, WeightType, int>> {};

TEST_P(Steps, AreTheHosts) {
  const auto& [header, configuration, weights, sequences] = GetParam();
  const Checkpoint checkpoint = parse_checkpoint(test::checkpoint_bytes(header), "made");
  const graph::Graph graph = block_step_graph(checkpoint, {1, 16, sequences, weights});
  std::mt19937 random(3);
  std::vector<graph::Value> inputs;
  for (const graph::TensorId id : graph::sample_inputs(graph)) {
    const graph::Tensor& tensor = graph.tensor(id);
    graph::Value value{tensor.type, tensor.shape,
                       graph::Bytes(static_cast<std::size_t>(graph::count(tensor.shape)) * sizeof(float))};
    for (std::size_t at = 0; at < value.data.size(); at += sizeof(float)) {
      const float number = static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-31F;
      std::memcpy(value.data.data() + at, &number, sizeof number);
    }
    inputs.push_back(std::move(value));
  }
  BackendOptions options;
  options.configuration = configuration;
  Device device = Device::open(options, "model");
  Network network(device, graph);
  const auto found = network.run(inputs), wanted = graph::execute(graph, inputs);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].data, wanted[i].data) << "output " << i;
  }
}

std::string name_of(const testing::TestParamInfo<Steps::ParamType>& info) {
  const auto& [header, configuration, weights, sequences] = info.param;
  return fmt::format("Width{}Heads{}Keys{}_{}_{}_{}", header[0], header[3], header[4], configuration,
                     weights == WeightType::kInt8 ? "Int8" : "Blocks", sequences);
}

INSTANTIATE_TEST_SUITE_P(All, Steps,
                         testing::Combine(testing::ValuesIn(kSizes), testing::Values("tiny", "default", "large"),
                                          testing::Values(WeightType::kBlocks, WeightType::kInt8),
                                          testing::Values(1, 2)),
                         name_of);

}  // namespace
}  // namespace systole::llama2
