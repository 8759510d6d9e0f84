// SPDX-License-Identifier: Apache-2.0
// Weights are in a file once: what programs have of them is found in the graph, and tiled again when the file is read.
#include "weight_presets.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "systole/configurations.hpp"
#include "systole/container.hpp"
#include "systole/network.hpp"
#include "systole/zoo.hpp"

namespace systole::container {
namespace {

/// The bytes of constants of the graph.
std::size_t bytes_of(const graph::Graph& graph) {
  std::size_t bytes = 0;
  for (const graph::Tensor& tensor : graph.tensors) {
    bytes += tensor.constant ? tensor.constant->size() : 0;
  }
  return bytes;
}

TEST(WeightPresets, AreAllWeights) {
  for (const char* configuration : {"small", "default", "large"}) {
    const CompiledNetwork network = compile_network(zoo::network("resnet8", 1), find_configuration(configuration));
    const Program& program = std::get<DeviceStep>(network.steps.at(0)).program;
    const int dim = network.configuration.dim;
    const auto found = WeightTiling(network.graph, dim).find({&program}).at(0);
    WeightTiling tiling(network.graph, dim);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i]) {
        EXPECT_EQ(tiling.take(*found[i]), program.constants[i].bytes) << configuration << ", constant " << i;
        bytes += program.constants[i].bytes.size();
      }
    }
    EXPECT_GE(bytes, std::size_t{70'000}) << configuration << ": of 78 thousand weights";
    EXPECT_LT(save(network).size(), save(network.graph).size() + std::size_t{150'000}) << configuration;
  }
}

TEST(WeightPresets, TakeTheirPlaceInFiles) {
  const CompiledNetwork network = compile_network(zoo::network("mobilenetv2", 1), find_configuration("default"));
  const std::size_t weights = bytes_of(network.graph);
  EXPECT_LT(save(network).size(), weights * 3 / 2) << weights << " bytes of constants";
}

std::string complaint(const std::function<void()>& run) {
  try {
    run();
  } catch (const ContainerError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(WeightPresets, ThatCannotBeAreRefused) {
  const graph::Graph graph = zoo::network("resnet8", 1);
  WeightTiling tiling(graph, 16);
  EXPECT_EQ(complaint([&] { tiling.take({1, false, 0}); }), "accepted");
  EXPECT_EQ(complaint([&] {
              tiling.take({1, false, 0});
            }),
            "damaged: constants are column 0 of the weights of operator 1, which others are, too");
  EXPECT_EQ(complaint([&] {
              tiling.take({1, false, 1});
            }),
            "damaged: constants are column 1 of the weights of operator 1, which has no such column");
  EXPECT_EQ(complaint([&] {
              tiling.take({7777, false, 0});
            }),
            "damaged: constants are column 0 of the weights of operator 7777, which does not exist");
  std::size_t without = 0;
  while (std::holds_alternative<graph::Conv2d>(graph.operators[without].kind)) {
    ++without;
  }
  EXPECT_NE(complaint([&] { tiling.take({without, true, 0}); }).find("has no such column"), std::string::npos);
}

}  // namespace
}  // namespace systole::container
