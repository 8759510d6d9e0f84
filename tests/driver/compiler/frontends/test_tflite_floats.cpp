// SPDX-License-Identifier: Apache-2.0
// Float networks of TensorFlow Lite, and those that keep weights in fewer bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import_tflite.hpp"
#include "model_builder.hpp"
#include "systole/execute.hpp"

namespace systole::graph::test {
namespace {

using Floats = std::vector<float>;
using format::Options;

/// A dense layer of two inputs and two outputs on (1, 2).
struct DenseNetwork {
  ModelBuilder m;
  std::int32_t x = m.tensor({{1, 2}}), y = m.tensor({{1, 2}});

  Graph with(std::int32_t weights, format::FusedActivation activation = format::FusedActivation::NONE) {
    m.op(Code::FULLY_CONNECTED, {x, weights}, {y}, Options::FullyConnectedOptions,
         format::CreateFullyConnectedOptions(m.builder, activation).Union());
    return import_tflite(m.finish({x}, {y}), "m");
  }
};

Floats result(const Graph& graph) {
  return elements<float>(execute(graph, {make_value(ElementType::kFloat32, {1, 2}, Floats{1, 2})})[0]);
}

/// {1, 2, 3, -4} as int8 with two scales, one per output.
TensorSpec small_weights() { return {{2, 2}, ElementKind::INT8, Bytes{2, 4, 12, 240}, {0.5F, 0.25F}, {0, 0}}; }

TEST(Floats, HybridWeightsAreWidenedAtImport) {
  DenseNetwork net;
  const Graph graph = net.with(net.m.tensor(small_weights()));
  ASSERT_EQ(graph.operators.size(), 1U);
  EXPECT_EQ(graph.tensor(graph.operators[0].inputs[1]).type, ElementType::kFloat32);
  EXPECT_EQ(result(graph), (Floats{5, -5}));
}

TEST(Floats, DequantizedWeightsAreFolded) {
  DenseNetwork net;
  const auto real = net.m.tensor({{2, 2}});
  net.m.op(Code::DEQUANTIZE, {net.m.tensor(small_weights())}, {real});
  const Graph graph = net.with(real);
  ASSERT_EQ(graph.operators.size(), 1U);
  EXPECT_EQ(result(graph), (Floats{5, -5}));
}

TEST(Floats, HalfWeightsAreWidened) {
  DenseNetwork net;
  const auto half = net.m.tensor(
      {{2, 2}, ElementKind::FLOAT16, bytes_of<std::uint16_t>({0x3C00, 0x4000, 0x4200, 0xC400})});  // 1, 2, 3, -4
  const auto real = net.m.tensor({{2, 2}});
  net.m.op(Code::DEQUANTIZE, {half}, {real});
  const Graph graph = net.with(real);
  ASSERT_EQ(graph.operators.size(), 1U);
  EXPECT_EQ(result(graph), (Floats{5, -5}));
}

TEST(Floats, DepthwiseHybridWeightsKeepTheirScales) {
  ModelBuilder m;
  const auto x = m.tensor({{1, 1, 1, 2}}), y = m.tensor({{1, 1, 1, 2}});
  const auto weights = m.tensor({{1, 1, 1, 2}, ElementKind::INT8, Bytes{4, 4}, {0.5F, 0.25F}, {0, 0}, 3});
  m.op(Code::DEPTHWISE_CONV_2D, {x, weights}, {y}, Options::DepthwiseConv2DOptions,
       format::CreateDepthwiseConv2DOptions(m.builder, format::Padding::VALID, 1, 1, 1).Union());
  const Graph graph = import_tflite(m.finish({x}, {y}), "m");
  const auto values = execute(graph, {make_value(ElementType::kFloat32, {1, 1, 1, 2}, Floats{10, 10})});
  EXPECT_EQ(elements<float>(values[0]), (Floats{20, 10}));
}

TEST(Floats, WeightsWithoutAScaleAreRefused) {
  DenseNetwork net;
  TensorSpec plain = small_weights();
  plain.scale.clear();
  plain.zero_point.clear();
  EXPECT_THROW(net.with(net.m.tensor(plain)), GraphError);
}

TEST(Floats, ActivationsAreOperatorsOfTheirOwn) {
  DenseNetwork net;
  const Graph graph = net.with(net.m.tensor({{2, 2}, ElementKind::FLOAT32, bytes_of<float>({1, 2, 3, -4})}),
                               format::FusedActivation::RELU6);
  ASSERT_EQ(graph.operators.size(), 2U);
  EXPECT_EQ(std::get<Dense>(graph.operators[0].kind).activation, Activation::kNone);
  EXPECT_EQ(std::get<Unary>(graph.operators[1].kind).kind, UnaryKind::kRelu6);
  EXPECT_EQ(graph.operators[1].outputs, graph.outputs);
  EXPECT_EQ(result(graph), (Floats{5, 0}));
}

}  // namespace
}  // namespace systole::graph::test
