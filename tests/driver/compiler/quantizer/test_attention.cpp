// SPDX-License-Identifier: Apache-2.0
// Attention: products of computed matrices, and transformer blocks that become int8 as a whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attention_network.hpp"
#include "prepare.hpp"

namespace systole::quantizer::test {
namespace {

using graph::BinaryKind;

constexpr double kSame = 100;  // dB: roundings of float32

template <class Kind>
std::vector<const Operator*> all_of(const Graph& graph) {
  std::vector<const Operator*> result;
  for (const Operator& op : graph.operators) {
    if (std::holds_alternative<Kind>(op.kind)) {
      result.push_back(&op);
    }
  }
  return result;
}

/// The prepared graph; checks that the function is the same.
Graph prepared(FloatNetwork& network, TensorId output) {
  const Graph graph = network.finish({output});
  const Graph result = prepare(graph);
  EXPECT_GT(signal_to_noise(graph, result, network.samples(3)), kSame);
  return result;
}

graph::MatMul product_of(const Graph& graph, std::size_t index) {
  return std::get<graph::MatMul>(all_of<graph::MatMul>(graph).at(index)->kind);
}

/// Dense layers with computed weights; keys that are transposed, reshaped and transposed again.
TEST(Attention, AsTensorFlowLiteWritesIt) {
  FloatNetwork network(1);
  const Graph result = prepared(network, lite_attention(network, network.input({6, 8})));
  EXPECT_EQ(kinds(result),
            (std::vector<std::string>{"Dense", "Dense", "MatMul", "Reshape", "Softmax", "Reshape", "Dense", "MatMul"}));
  EXPECT_TRUE(product_of(result, 0).transpose_b);
  EXPECT_FALSE(product_of(result, 1).transpose_b);
  EXPECT_FLOAT_EQ(std::get<graph::Softmax>(all_of<graph::Softmax>(result)[0]->kind).beta, 0.25F);
}

/// Several heads; the keys are transposed so that their channels come first.
TEST(Attention, AsPyTorchWritesIt) {
  FloatNetwork network(2);
  const Graph result = prepared(network, heads_attention(network, network.input({1, 6, 8}), 2));
  const std::vector<const Operator*> transposes = all_of<graph::Transpose>(result);
  ASSERT_EQ(transposes.size(), 4U);
  for (const Operator* op : transposes) {
    EXPECT_EQ(std::get<graph::Transpose>(op->kind).permutation, (std::vector<int>{0, 2, 1, 3}));
  }
  EXPECT_TRUE(product_of(result, 0).transpose_b);
  EXPECT_FALSE(product_of(result, 1).transpose_b);
  EXPECT_FLOAT_EQ(std::get<graph::Softmax>(all_of<graph::Softmax>(result)[0]->kind).beta, 0.5F);
  EXPECT_TRUE(all_of<graph::Binary>(result).empty());
}

/// Before a mask is added, the factor belongs to the product; the queries' layer takes it.
TEST(Attention, FactorBeforeAMask) {
  FloatNetwork network(3);
  const TensorId input = network.input({6, 8});
  const TensorId query = network.dense(input, 8), key = network.dense(input, 8);
  const TensorId scores = network.add(graph::MatMul{false, true}, {query, key});
  const TensorId scaled = network.add(graph::Binary{BinaryKind::kMultiply}, {scores, network.constant({1}, {-0.125F})});
  const TensorId masked = network.add(graph::Binary{BinaryKind::kAdd}, {scaled, network.random_constant({6, 6}, 1)});
  const Graph result = prepared(network, network.add(graph::Softmax{}, {masked}));
  EXPECT_EQ(kinds(result), (std::vector<std::string>{"Dense", "Dense", "MatMul", "Binary", "Softmax"}));
  EXPECT_EQ(std::get<graph::Softmax>(result.operators.back().kind).beta, 1);
}

TEST(Attention, FactorOfValuesThatAreReadTwiceStays) {
  FloatNetwork network(4);
  const TensorId input = network.input({6, 8});
  const TensorId scores = network.add(graph::MatMul{false, true}, {input, network.dense(input, 8)});
  const TensorId scaled = network.add(graph::Binary{BinaryKind::kMultiply}, {scores, network.constant({1}, {0.5F})});
  const TensorId softmax = network.add(graph::Softmax{}, {scaled});
  // The softmax is not the only reader of the factor's result; the product is not its only operand's reader.
  const TensorId sum = network.add(graph::Binary{BinaryKind::kAdd}, {softmax, scaled});
  const Graph result = prepared(network, network.add(graph::Binary{BinaryKind::kAdd}, {sum, scores}));
  EXPECT_EQ(all_of<graph::Binary>(result).size(), 3U);
  EXPECT_EQ(std::get<graph::Softmax>(all_of<graph::Softmax>(result)[0]->kind).beta, 1);
}

TEST(Attention, BiasOfComputedWeights) {
  for (const float bias : {0.0F, 2.0F}) {
    FloatNetwork network(5);
    const TensorId input = network.input({4, 8});
    const TensorId weights = network.dense(input, 8);
    const TensorId dense = network.add(graph::Dense{}, {input, weights, network.constant({4}, {bias, 0, bias, 0})});
    const std::vector<std::string> wanted = {"Dense", "MatMul"}, with_sum = {"Dense", "MatMul", "Binary"};
    EXPECT_EQ(kinds(prepared(network, dense)), bias == 0 ? wanted : with_sum);
  }
}

const graph::Quantization& quantization_of(const Graph& graph, TensorId id) { return *graph.tensor(id).quantization; }

/// The device computes products fastest if the zero points of their operands are zero.
TEST(Attention, OperandsOfProductsHaveNoZeroPoint) {
  FloatNetwork network(6);
  const Graph graph = network.finish({lite_attention(network, network.input({6, 8}))});
  const std::vector<Sample> samples = network.samples(8);
  const Graph result = quantize(graph, samples).graph;
  const std::vector<const Operator*> products = all_of<graph::MatMul>(result);
  ASSERT_EQ(products.size(), 2U);
  EXPECT_EQ(quantization_of(result, products[0]->inputs[0]).zero_point[0], 0);
  EXPECT_EQ(quantization_of(result, products[0]->inputs[1]).zero_point[0], 0);
  EXPECT_EQ(quantization_of(result, products[1]->inputs[0]).zero_point[0], -128) << "a softmax";
  EXPECT_EQ(quantization_of(result, products[1]->inputs[1]).zero_point[0], 0);
  EXPECT_GT(signal_to_noise(graph, result, samples), 30);
}

/// A softmax on the right is converted.
TEST(Attention, SoftmaxOnTheRight) {
  FloatNetwork network(7);
  const TensorId input = network.input({6, 8});
  const TensorId softmax = network.add(graph::Softmax{}, {network.dense(input, 6)});
  const Graph graph = network.finish({network.add(graph::MatMul{}, {network.dense(input, 6), softmax})});
  const std::vector<Sample> samples = network.samples(8);
  const Graph result = quantize(graph, samples).graph;
  EXPECT_EQ(quantization_of(result, all_of<graph::MatMul>(result)[0]->inputs[1]).zero_point[0], 0);
  EXPECT_GT(signal_to_noise(graph, result, samples), 30);
}

class Blocks : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Blocks, AreInt8) {
  FloatNetwork network(GetParam());
  const Graph graph = transformer(network, 2);
  const std::vector<Sample> samples = network.samples(16);
  const Result result = quantize(graph, samples);
  for (const LayerReport& layer : result.report.layers) {
    EXPECT_TRUE(layer.int8) << layer.name << ": " << layer.reason;
  }
  std::size_t conversions = 0;
  for (const Operator& op : result.graph.operators) {
    conversions += std::holds_alternative<graph::Convert>(op.kind) ? 1 : 0;
  }
  EXPECT_EQ(conversions, 2U) << "at the border";
  EXPECT_EQ(all_of<graph::LayerNormalize>(result.graph).size(), 4U);
  EXPECT_GT(signal_to_noise(graph, result.graph, samples), 24);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Blocks, testing::Range(1U, 6U));

TEST(Attention, TablesAreInt8) {
  FloatNetwork network(8);
  const TensorId table = network.random_constant({20, 8}, 1);
  const TensorId words = network.indices({6}, {3, 1, 4, 1, 5, 9});
  const TensorId embedded = network.add(graph::Gather{}, {table, words});
  const TensorId sum = network.add(graph::Binary{BinaryKind::kAdd}, {embedded, network.input({6, 8})});
  const Result result = quantize(network.finish({network.dense(sum, 4)}), network.samples(4));
  for (const LayerReport& layer : result.report.layers) {
    EXPECT_TRUE(layer.int8) << layer.name << ": " << layer.reason;
  }
}

/// Features of a signal stay float, the layers behind them become int8.
TEST(FrontEnd, BeforeALogarithmStaysFloat) {
  FloatNetwork network(9);
  const TensorId spectrum = network.dense(network.input({4, 16}), 8);
  const TensorId power = network.add(graph::Binary{BinaryKind::kMultiply}, {spectrum, spectrum});
  const TensorId positive = network.add(graph::Binary{BinaryKind::kMaximum}, {power, network.constant({1}, {1e-6F})});
  const TensorId features = network.unary(graph::UnaryKind::kLog, positive);
  const TensorId hidden = network.unary(graph::UnaryKind::kRelu, network.dense(features, 64));
  const Graph graph = network.finish({network.dense(hidden, 4)});
  const std::vector<Sample> samples = network.samples(16);
  const Result result = quantize(graph, samples);
  ASSERT_EQ(result.report.layers.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(result.report.layers[i].int8, i >= 4) << result.report.layers[i].name;
  }
  EXPECT_NE(result.report.layers[0].reason.find("computes features for Unary3"), std::string::npos);
  EXPECT_GT(signal_to_noise(graph, result.graph, samples), 25);
}

/// A logarithm behind most layers does not keep them float.
TEST(FrontEnd, LayersBeforeALastLogarithmAreInt8) {
  FloatNetwork network(10);
  const TensorId hidden = network.dense(network.input({4, 16}), 64);
  const TensorId softmax = network.add(graph::Softmax{}, {network.dense(hidden, 8)});
  const TensorId logarithm = network.unary(graph::UnaryKind::kLog, softmax);
  const Result result = quantize(network.finish({network.dense(logarithm, 8)}), network.samples(16));
  EXPECT_TRUE(result.report.layers[0].int8);
  EXPECT_TRUE(result.report.layers[1].int8);
}

}  // namespace
}  // namespace systole::quantizer::test
