// SPDX-License-Identifier: Apache-2.0
// Moves of bytes that follow each other are one, and those for which that is faster are products. Every byte is where
// the host puts it, in all configurations.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "moves.hpp"
#include "quantized_net.hpp"
#include "systole/configurations.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"
#include "systole/pass_log.hpp"

namespace systole {
namespace {

using graph::Shape;
using graph::TensorId;

class Net : public test::QuantizedNet {
 public:
  Net() : QuantizedNet({{0.1F}, {-5}, 0}) {}

  TensorId reshape(TensorId from, const Shape& shape) { return append(graph::Reshape{}, {from}, shape); }
  TensorId transpose(TensorId from, std::vector<int> permutation) {
    return append(graph::Transpose{std::move(permutation)}, {from});
  }
  TensorId relu(TensorId from) { return append(graph::Unary{graph::UnaryKind::kRelu, 0, 0}, {from}); }
  /// Channels of each group in turn, as the frameworks say it: by axes of height and width behind the channels.
  TensorId shuffle(TensorId from, std::int64_t groups) {
    const Shape all = shape(from);
    const TensorId apart = reshape(from, {all[0], all[1], all[2], groups, all[3] / groups});
    const TensorId turned = transpose(apart, {0, 4, 3, 1, 2});
    return transpose(reshape(turned, {all[0], all[3], all[1], all[2]}), {0, 2, 3, 1});
  }
  /// Of 1 x 1, each channel with a scale of its own.
  TensorId convolved(TensorId from, std::int64_t channels) {
    std::mt19937 random(7);
    graph::Bytes bytes(static_cast<std::size_t>(channels * shape(from).back()));
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
    const TensorId kernel = weights({channels, 1, 1, shape(from).back()}, bytes);
    graph::Quantization& each = *graph().tensor(kernel).quantization;
    each.scale.clear();
    for (std::int64_t i = 0; i < channels; ++i) {
      each.scale.push_back(0.001F * static_cast<float>(i + 1));
    }
    each.zero_point.assign(each.scale.size(), 0);
    return append(graph::Conv2d{}, {from, kernel});
  }
};

/// How often a pass was applied on configuration `default`, after the results were compared in all of them.
std::int64_t applied(const graph::Graph& graph, const std::string& pass) {
  const graph::Tensor& input = graph.tensor(graph.inputs[0]);
  graph::Bytes bytes(static_cast<std::size_t>(graph::count(input.shape)));
  std::mt19937 random(3);
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
  const std::vector<graph::Value> inputs = {{input.type, input.shape, bytes}};
  const auto expected = graph::execute(graph, inputs);
  for (const char* name : {"tiny", "small", "default", "large"}) {
    BackendOptions options;
    options.configuration = name;
    Device device = Device::open(options, "model");
    Network network(device, graph);
    RunOptions run;
    run.check = true;
    const auto found = network.run(inputs, run);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(found[i].data, expected[i].data) << name << ", output " << i;
    }
    for (const StepReport& step : network.steps()) {
      EXPECT_TRUE(step.on_device) << name << ": " << step.reason;
    }
  }
  PassLog log(std::vector<std::string>{});
  compile_network(graph, find_configuration("default"), {{}, {}, &log});
  std::int64_t times = 0;
  for (const PassRun& run : log.runs()) {
    times += run.pass == pass ? run.applied : 0;
  }
  return times;
}

TEST(ComposedMoves, AreOneMove) {
  Net net;
  const TensorId x = net.relu(net.input({2, 3, 4, 20}));
  const graph::Graph graph = net.finish({net.relu(net.transpose(net.transpose(x, {1, 0, 3, 2}), {0, 3, 1, 2}))});
  EXPECT_EQ(applied(graph, "composed_moves"), 1);
  EXPECT_EQ(applied(graph, "multiplied_moves"), 0);
}

TEST(ComposedMoves, ThatCancelVanish) {
  Net net;
  const TensorId x = net.relu(net.input({2, 3, 4, 20}));
  const TensorId there = net.reshape(net.transpose(x, {0, 3, 1, 2}), {2, 20, 12});
  const graph::Graph graph = net.finish({net.relu(net.transpose(there, {0, 2, 1}))});
  EXPECT_EQ(applied(graph, "composed_moves"), 1);
  EXPECT_EQ(applied(graph, "multiplied_moves"), 0);
}

TEST(ComposedMoves, StayApartWhereOthersReadTheFirst) {
  Net net;
  const TensorId first = net.transpose(net.relu(net.input({2, 3, 4, 20})), {1, 0, 3, 2});
  const graph::Graph graph = net.finish({first, net.transpose(first, {0, 3, 1, 2})});
  EXPECT_EQ(applied(graph, "composed_moves"), 0);
}

TEST(MultipliedMoves, AreShuffledChannels) {
  for (const std::int64_t channels : {68, 136, 40}) {
    Net net;
    const TensorId x = net.relu(net.input({1, 5, 7, channels}));
    const graph::Graph graph = net.finish({net.relu(net.shuffle(x, 4))});
    EXPECT_EQ(applied(graph, "composed_moves"), 1) << channels;
    EXPECT_EQ(applied(graph, "multiplied_moves"), 1) << channels;
  }
}

TEST(MultipliedMoves, ArePlanesThatBecomeChannels) {
  for (const std::int64_t planes : {2, 3, 5}) {
    Net net;
    const TensorId x = net.relu(net.input({1, planes, 8, 32}));
    EXPECT_EQ(applied(net.finish({net.relu(net.transpose(x, {0, 2, 3, 1}))}), "multiplied_moves"), 1) << planes;
  }
}

TEST(MultipliedMoves, GoIntoWeights) {
  Net net;
  const TensorId x = net.convolved(net.input({1, 5, 7, 20}), 24);
  const graph::Graph graph = net.finish({net.relu(net.shuffle(x, 3))});
  EXPECT_EQ(applied(graph, "multiplied_moves"), 1);
  PassLog log(std::vector<std::string>{});
  compile_network(graph, find_configuration("default"), {{}, {}, &log});
  for (const PassRun& run : log.runs()) {
    if (run.pass == "multiplied_moves") {
      EXPECT_EQ(run.before.count, run.after.count + 1) << "the move is gone";
    }
  }
}

TEST(MultipliedMoves, AreNotLongRuns) {
  Net net;
  const TensorId x = net.reshape(net.relu(net.input({1, 5, 7, 128})), {35, 2, 64});
  const TensorId turned = net.reshape(net.transpose(net.reshape(x, {35, 2, 2, 32}), {0, 2, 1, 3}), {1, 5, 7, 128});
  EXPECT_EQ(applied(net.finish({net.relu(turned)}), "multiplied_moves"), 0);
}

TEST(MultipliedMoves, CanBeLeftOut) {
  Net net;
  const graph::Graph graph = net.finish({net.relu(net.shuffle(net.relu(net.input({1, 5, 7, 68})), 4))});
  PassLog log(std::vector<std::string>{});
  compile_network(graph, find_configuration("default"), {{"multiplied_moves", "composed_moves"}, {}, &log});
  for (const PassRun& run : log.runs()) {
    EXPECT_TRUE(run.applied == 0 || (run.pass != "multiplied_moves" && run.pass != "composed_moves")) << run.pass;
  }
}

/// A column of weights of zeros alone begins its sums, too: they are not those of the layer before.
TEST(MultipliedMoves, ColumnsOfZerosHaveNoSums) {
  Net net;
  const TensorId x = net.relu(net.convolved(net.input({1, 6, 9, 40}), 64));
  graph::Bytes bytes(std::size_t{48} * 64, 0);
  for (std::size_t i = 0; i < 48; ++i) {
    for (std::size_t c = 0; c < 64 && (i < 16 || i >= 32); ++c) {
      bytes[i * 64 + c] = static_cast<std::uint8_t>(i * 7 + c * 3);
    }
  }
  const TensorId kernel = net.weights({48, 1, 1, 64}, bytes);
  EXPECT_EQ(applied(net.finish({net.append(graph::Conv2d{}, {x, kernel})}), "multiplied_moves"), 0);
}

/// A part of the planes of an operand.
TEST(MultipliedMoves, AreWholePlanes) {
  Net net;
  const TensorId planes = net.input({1, 4, 8, 32});
  const TensorId three = net.append(graph::Slice{{0, 0, 0, 0}, {1, 1, 1, 1}}, {planes}, {1, 3, 8, 32});
  EXPECT_EQ(applied(net.finish({net.relu(net.transpose(three, {0, 2, 3, 1}))}), "multiplied_moves"), 0);
}

/// Zeros in the weights of a product, within and at the ends of its columns.
TEST(MultipliedMoves, WeightTilesOfZerosAreLeftOut) {
  for (const int first : {0, 1, 5}) {
    Net net;
    graph::Bytes bytes(std::size_t{96} * 160, 0);
    for (std::size_t i = 0; i < 96; ++i) {
      for (std::size_t block = static_cast<std::size_t>(first); block < 10; block += 3) {
        bytes[i * 160 + block * 16 + i % 16] = static_cast<std::uint8_t>(i + block);
      }
    }
    const TensorId kernel = net.weights({96, 1, 1, 160}, bytes);
    const TensorId x = net.relu(net.input({1, 4, 9, 160}));
    EXPECT_EQ(applied(net.finish({net.append(graph::Conv2d{}, {x, kernel})}), "multiplied_moves"), 0);
  }
}

}  // namespace
}  // namespace systole
