// SPDX-License-Identifier: Apache-2.0
// Reshapes are removed where that has no visible effect, and give right results elsewhere.
#include <gtest/gtest.h>

#include <numeric>

#include "quantized_net.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole {
namespace {

using graph::TensorId;

/// Graphs of reshapes and relus on int8 with one quantization.
class Chain : public test::QuantizedNet {
 public:
  Chain() : QuantizedNet({{0.1F}, {-5}, 0}) {}

  TensorId reshape(TensorId from, const graph::Shape& shape) { return append(graph::Reshape{}, {from}, shape); }
  TensorId relu(TensorId from) { return append(graph::Unary{graph::UnaryKind::kRelu, 0, 0}, {from}); }
};

/// Runs the graph on the functional model, expects the host's bytes, and returns the number of layers.
std::size_t layers_of(const graph::Graph& graph) {
  BackendOptions options;
  options.configuration = "tiny";
  Device device = Device::open(options, "model");
  Network network(device, graph);
  const graph::Tensor& input = graph.tensor(graph.inputs[0]);
  graph::Bytes bytes(static_cast<std::size_t>(graph::count(input.shape)));
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{100});
  const std::vector<graph::Value> inputs = {{input.type, input.shape, bytes}};
  RunOptions run;
  run.check = true;
  const auto found = network.run(inputs, run), expected = graph::execute(graph, inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found[i].data, expected[i].data) << "output " << i;
    EXPECT_EQ(found[i].shape, expected[i].shape) << "output " << i;
  }
  EXPECT_EQ(network.steps().size(), 1U);
  return network.steps()[0].layers.size();
}

TEST(Reshapes, VanishBetweenLayers) {
  Chain chain;
  const TensorId x = chain.relu(chain.input({1, 4, 5, 3}));
  EXPECT_EQ(layers_of(chain.finish({chain.relu(chain.reshape(chain.reshape(x, {1, 60}), {5, 12}))})), 2U);
}

TEST(Reshapes, VanishAfterInputAndBeforeOutput) {
  Chain chain;
  const TensorId x = chain.relu(chain.reshape(chain.input({1, 4, 5, 3}), {3, 20}));
  EXPECT_EQ(layers_of(chain.finish({chain.reshape(x, {60})})), 1U);
}

TEST(Reshapes, KeepShapeForOtherUsers) {
  Chain chain;
  const TensorId x = chain.relu(chain.input({1, 4, 5, 3}));
  const TensorId flat = chain.reshape(x, {60});
  const TensorId y = chain.relu(x);
  EXPECT_EQ(layers_of(chain.finish({flat, y, chain.relu(flat)})), 3U);
}

TEST(Reshapes, BecomeMovesIfBothShapesAreOutputs) {
  Chain chain;
  const TensorId input = chain.input({1, 4, 5, 3});
  const TensorId x = chain.relu(input);
  EXPECT_EQ(layers_of(chain.finish({x, chain.reshape(x, {60}), chain.reshape(x, {2, 30})})), 3U);
  Chain alone;
  EXPECT_EQ(layers_of(alone.finish({alone.reshape(alone.input({1, 4, 5, 3}), {60})})), 1U)
      << "from the input to the output";
}

}  // namespace
}  // namespace systole
