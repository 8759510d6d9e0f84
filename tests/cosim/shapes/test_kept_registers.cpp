// SPDX-License-Identifier: Apache-2.0
// A recurrence in one lane of a program, kernels that do not depend on it in the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "graph_builder.hpp"
#include "kinds.hpp"
#include "seed.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole::shapes {
namespace {

/// Adds some rounds of softmax of float32, whose kernels change vector registers.
void add_softmax(graph::Graph& graph, int rounds) {
  graph::GraphBuilder net(graph, "softmax");
  graph::TensorId last = net.input("rows", graph::ElementType::kFloat32, {24, 16});
  for (int round = 0; round < rounds; ++round) {
    last = net.append(graph::Softmax{}, {last});
  }
  graph.outputs.push_back(last);
}

std::vector<graph::Value> random_inputs(const graph::Graph& graph, std::mt19937_64& random) {
  std::vector<graph::Value> inputs;
  for (const graph::TensorId id : graph.inputs) {
    const graph::Tensor& tensor = graph.tensor(id);
    if (tensor.type == graph::ElementType::kFloat32) {
      std::vector<float> numbers(static_cast<std::size_t>(graph::count(tensor.shape)));
      std::generate(numbers.begin(), numbers.end(),
                    [&] { return std::uniform_real_distribution<float>(-3, 3)(random); });
      inputs.push_back(graph::make_value(tensor.type, tensor.shape, numbers));
    } else {
      graph::Bytes bytes(static_cast<std::size_t>(graph::count(tensor.shape)) * graph::element_size(tensor.type));
      std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
      inputs.push_back({tensor.type, tensor.shape, std::move(bytes)});
    }
  }
  return inputs;
}

/// Runs such networks; returns how many have two lanes.
std::int64_t run(const char* configuration) {
  BackendOptions backend;
  backend.configuration = configuration;
  Device device = Device::open(backend, "model");
  std::mt19937_64 random(test::seed());
  std::int64_t overlapped = 0;
  for (const Kind& kind : recurrent_kinds()) {
    for (int round = 0; round < 12; ++round) {
      Spec spec{kind.name, {}};
      for (const Parameter& parameter : kind.parameters) {
        spec.values[parameter.name] = std::uniform_int_distribution<int>(parameter.min, parameter.max)(random);
      }
      graph::Graph graph = kind.build(spec);
      add_softmax(graph, 1 + round % 4);
      const std::vector<graph::Value> inputs = random_inputs(graph, random);
      Network network(device, graph);
      overlapped += network.transformations().at("overlap");
      const std::vector<graph::Value> found = network.run(inputs), wanted = graph::execute(graph, inputs);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(found[i].data, wanted[i].data) << configuration << ", " << to_string(spec) << ", output " << i;
      }
    }
  }
  return overlapped;
}

TEST(KeptRegisters, OfRecurrencesBesideKernels) {
  const std::int64_t small = run("small"), large = run("default");
  EXPECT_GT(small, 0) << "no program has two lanes";
  EXPECT_GT(large, 0) << "no program has two lanes";
}

}  // namespace
}  // namespace systole::shapes
