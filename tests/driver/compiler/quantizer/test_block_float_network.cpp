// SPDX-License-Identifier: Apache-2.0
// Float networks with products in block floating point.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "float_network.hpp"

namespace systole::quantizer::test {
namespace {

using graph::Arithmetic;
using testing::HasSubstr;

constexpr double kClose = 20;  // dB: random networks of few channels, whose errors add up

bool is_product(const Operator& op) {
  return std::holds_alternative<graph::Conv2d>(op.kind) || std::holds_alternative<graph::Dense>(op.kind) ||
         std::holds_alternative<graph::MatMul>(op.kind);
}

RC_GTEST_PROP(BlockFloatNetwork, StaysCloseToFloat, (std::uint32_t seed)) {
  FloatNetwork network(seed);
  const Graph graph = random_network(network);
  const Graph blocks = to_blocks(graph);
  RC_ASSERT(signal_to_noise(graph, blocks, network.samples(2)) > kClose);
  for (const Operator& op : blocks.operators) {
    const auto* conv = std::get_if<graph::Conv2d>(&op.kind);
    RC_ASSERT((op.arithmetic == Arithmetic::kBlocks) == (is_product(op) && (conv == nullptr || conv->groups == 1)));
  }
}

TEST(BlockFloatNetwork, MakesOperatorsOfActivations) {
  FloatNetwork net(1);
  const TensorId image = net.unary(graph::UnaryKind::kRelu6, net.conv(net.input({1, 6, 6, 20}), 8, 3));
  Graph graph = net.finish({net.dense(net.flatten(image), 5)});
  const auto conv = std::find_if(graph.operators.begin(), graph.operators.end(), is_product);
  std::get<graph::Conv2d>(conv->kind).activation = Activation::kRelu;
  const Graph blocks = to_blocks(graph);
  std::vector<graph::UnaryKind> functions;
  for (const Operator& op : blocks.operators) {
    if (const auto* unary = std::get_if<graph::Unary>(&op.kind)) {
      functions.push_back(unary->kind);
      EXPECT_EQ(op.arithmetic, Arithmetic::kOnnx);
    }
  }
  EXPECT_EQ(functions, (std::vector<graph::UnaryKind>{graph::UnaryKind::kRelu, graph::UnaryKind::kRelu6}));
  EXPECT_GT(signal_to_noise(graph, blocks, net.samples(2)), kClose);
}

TEST(BlockFloatNetwork, ReportsTheErrorOfEachLayer) {
  FloatNetwork net(2);
  const TensorId image = net.unary(graph::UnaryKind::kRelu, net.conv(net.input({1, 6, 6, 20}), 8, 3));
  const Graph graph = net.finish({net.dense(net.flatten(image), 5)});
  const Report report = compare_blocks(graph, net.samples(3));
  EXPECT_EQ(report.samples, 3U);
  std::size_t in_blocks = 0;
  for (const LayerReport& layer : report.layers) {
    EXPECT_TRUE(layer.compared) << layer.name;
    EXPECT_FALSE(layer.int8) << layer.name;
    EXPECT_GT(layer.signal_to_noise(), 30) << layer.name;
    in_blocks += layer.blocks ? 1 : 0;
    if (layer.blocks) {
      EXPECT_LT(layer.signal_to_noise(), 80) << layer.name << ": blocks have 7 bits";
    }
  }
  EXPECT_EQ(in_blocks, 2U);
}

TEST(BlockFloatNetwork, TakesFloatNetworksOnly) {
  FloatNetwork net(3);
  const Graph graph = net.finish({net.dense(net.input({1, 20}), 5)});
  const Graph int8 = quantize(graph, net.samples(3)).graph;
  try {
    to_blocks(int8);
    FAIL() << "no error";
  } catch (const graph::GraphError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is quantized; block floating point takes float networks"));
  }
}

}  // namespace
}  // namespace systole::quantizer::test
