// SPDX-License-Identifier: Apache-2.0
// int8 graphs against the float graphs that they were made from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "float_network.hpp"
#include "rewrite.hpp"

namespace systole::quantizer::test {
namespace {

using graph::BinaryKind;
using graph::ElementType;
using graph::UnaryKind;
using testing::HasSubstr;

const graph::Tensor& result_of(const Graph& graph, const std::string& name) {
  const auto found =
      std::find_if(graph.operators.begin(), graph.operators.end(), [&](const Operator& op) { return op.name == name; });
  if (found == graph.operators.end()) {
    throw graph::GraphError(std::string("no operator ").append(name));
  }
  return graph.tensor(found->outputs[0]);
}

/// The full min-max range, so that nothing saturates.
Options exact_ranges() {
  Options options;
  options.calibration = Calibration::kMinMax;
  options.equalization = Equalization::kOff;
  return options;
}

RC_GTEST_PROP(Quantize, RandomNetworksStayClose, (std::uint32_t seed)) {
  FloatNetwork network(seed);
  const Graph graph = random_network(network);
  const std::vector<Sample> samples = network.samples(12);
  Options options;
  options.calibration = Calibration(seed % 3);
  options.equalization = Equalization(seed / 3 % 3);
  const Result result = quantize(graph, samples, options);
  RC_ASSERT(signal_to_noise(graph, result.graph, samples) > 15);
  for (const LayerReport& layer : result.report.layers) {
    RC_ASSERT(layer.int8);
  }
}

/// |result - real result| <= half a step of the result, and what half a step of input and weights make of the sum. Zero
/// points are rounded, so that at the ends of ranges a step more is lost by saturation, hence whole steps of both
/// tensors.
RC_GTEST_PROP(Quantize, OneLayerIsWithinItsBound, (std::uint32_t seed)) {
  FloatNetwork network(seed);
  const Graph graph = network.finish({network.conv(network.input({1, 5, 5, 3}), 4, 3, 1, 1)});
  const std::vector<Sample> samples = network.samples(4);
  const Graph result = quantize(graph, samples, exact_ranges()).graph;
  const Operator& layer = result.operators.at(1);
  const Parameters p = parameters_of(graph, graph.operators[0]);
  const double input_step = double{result.tensor(layer.inputs[0]).quantization->scale[0]};
  const double output_step = double{result.tensor(layer.outputs[0]).quantization->scale[0]};
  const std::vector<float>& weight_steps = result.tensor(layer.inputs[1]).quantization->scale;
  for (const Sample& sample : samples) {
    const std::vector<float> wanted = run(graph, sample);
    const std::vector<float> got = run(result, sample);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::size_t o = i % p.outputs();
      double bound = output_step + 0.5 * input_step * double{weight_steps[o]};
      for (std::size_t k = 0; k < p.taps(); ++k) {
        bound += std::abs(p.weights[o * p.taps() + k]) * input_step + 0.5 * double{weight_steps[o]} * (1 + input_step);
      }
      RC_ASSERT(std::abs(double{got[i]} - double{wanted[i]}) <= bound);
    }
  }
}

TEST(Quantize, WeightsArePerChannelAndSymmetric) {
  FloatNetwork network(1);
  const Graph graph = network.finish({network.conv(network.input({1, 5, 5, 3}), 4, 3)});
  const Graph result = quantize(graph, network.samples(4), exact_ranges()).graph;
  ASSERT_EQ(result.operators.size(), 3U);
  const Operator& conv = result.operators[1];
  EXPECT_EQ(conv.arithmetic, graph::Arithmetic::kTfLite);
  const graph::Tensor& weights = result.tensor(conv.inputs[1]);
  EXPECT_EQ(weights.type, ElementType::kInt8);
  EXPECT_EQ(weights.quantization->zero_point, std::vector<std::int32_t>(4, 0));
  const auto values = graph::elements<std::int8_t>(constant_value(weights));
  for (std::size_t o = 0; o < 4; ++o) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(o * 27);
    const int most =
        std::abs(*std::max_element(first, first + 27, [](int a, int b) { return std::abs(a) < std::abs(b); }));
    EXPECT_EQ(most, 127);
  }
  const graph::Tensor& bias = result.tensor(conv.inputs[2]);
  EXPECT_EQ(bias.type, ElementType::kInt32);
  const float input_scale = result.tensor(conv.inputs[0]).quantization->scale[0];
  EXPECT_FLOAT_EQ(bias.quantization->scale[2], input_scale * weights.quantization->scale[2]);
}

TEST(Quantize, LargeBiasOfSmallWeightsFits) {
  FloatNetwork network(2);
  const TensorId input = network.input({1, 4});
  const TensorId weights = network.constant({2, 4}, {1e-12F, 0, 0, 0, 0, 0, 0, 0});
  const TensorId dense = network.add(graph::Dense{}, {input, weights, network.constant({2}, {7, -3})});
  const Graph graph = network.finish({dense});
  const std::vector<Sample> samples = network.samples(2);
  EXPECT_GT(signal_to_noise(graph, quantize(graph, samples, exact_ranges()).graph, samples), 40);
}

TEST(Quantize, InputsAndOutputsAreFloatOrInt8) {
  FloatNetwork network(3);
  const Graph graph = network.finish({network.conv(network.input({1, 5, 5, 3}), 4, 3)});
  const std::vector<Sample> samples = network.samples(4);
  Options options = exact_ranges();
  const Graph with_floats = quantize(graph, samples, options).graph;
  options.border = Border::kInt8;
  const Graph with_bytes = quantize(graph, samples, options).graph;
  EXPECT_EQ(with_floats.tensor(with_floats.inputs[0]).type, ElementType::kFloat32);
  EXPECT_EQ(with_bytes.tensor(with_bytes.inputs[0]).type, ElementType::kInt8);
  EXPECT_EQ(with_bytes.operators.size(), 1U);
  for (const Graph* result : {&with_floats, &with_bytes}) {
    EXPECT_EQ(result->tensor(result->inputs[0]).name, graph.tensor(graph.inputs[0]).name);
    EXPECT_EQ(result->tensor(result->outputs[0]).name, graph.tensor(graph.outputs[0]).name);
  }
  const Value bytes = execute(with_bytes, convert_sample(graph, with_bytes, samples[0])).at(0);
  const graph::Quantization& q = *with_bytes.tensor(with_bytes.outputs[0]).quantization;
  const std::vector<float> floats = run(with_floats, samples[0]);
  const auto steps = graph::elements<std::int8_t>(bytes);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    EXPECT_FLOAT_EQ(floats[i], q.scale[0] * static_cast<float>(steps[i] - q.zero_point[0]));
  }
}

TEST(Quantize, ReportsOperatorsThatStayFloat) {
  FloatNetwork network(4);
  const TensorId conv = network.conv(network.input({1, 5, 5, 3}), 4, 3);
  const TensorId exp = network.unary(UnaryKind::kExp, conv);
  const TensorId relu = network.unary(UnaryKind::kRelu, exp);
  const Graph graph = network.finish({network.conv(relu, 2, 3)});
  const std::vector<Sample> samples = network.samples(8);
  const Result result = quantize(graph, samples);
  ASSERT_EQ(result.report.layers.size(), 4U);
  EXPECT_FALSE(result.report.layers[1].int8);
  EXPECT_THAT(result.report.layers[1].reason, HasSubstr("no int8 form of exp"));
  EXPECT_FALSE(result.report.layers[2].int8) << "nothing is gained by a relu between two conversions";
  EXPECT_EQ(result_of(result.graph, "Unary1").type, ElementType::kFloat32);
  EXPECT_GT(signal_to_noise(graph, result.graph, samples), 25);
  EXPECT_EQ(result.report.layers[1].name, "Unary1");
}

TEST(Quantize, PoolsAndMovementsKeepTheQuantization) {
  FloatNetwork network(5);
  const TensorId a = network.conv(network.input({1, 6, 6, 3}), 4, 3, 1, 1);
  const TensorId b = network.pool(graph::PoolKind::kMax, a, 2, 2);
  graph::Concat concat;
  concat.axis = 3;
  const TensorId c = network.add(concat, {b, network.conv(b, 4, 3, 1, 1)});
  const Graph graph = network.finish({network.flatten(c)});
  const std::vector<Sample> samples = network.samples(8);
  const Graph result = quantize(graph, samples).graph;
  const graph::Quantization& q = *result_of(result, "Conv2d0").quantization;
  for (const Operator& op : result.operators) {
    if (op.origin != "Convert") {
      EXPECT_EQ(result.tensor(op.outputs[0]).quantization->scale, q.scale) << op.name;
    }
  }
  EXPECT_GT(signal_to_noise(graph, result, samples), 30);
}

TEST(Quantize, FunctionsWithFixedScale) {
  FloatNetwork network(6);
  const TensorId input = network.input({1, 12});
  const TensorId sigmoid = network.unary(UnaryKind::kSigmoid, network.dense(input, 5));
  const TensorId tanh = network.unary(UnaryKind::kTanh, network.dense(input, 5));
  graph::Concat concat;
  concat.axis = 1;
  const TensorId both = network.add(concat, {sigmoid, tanh});
  const Graph graph = network.finish({network.add(graph::Softmax{}, {both})});
  const std::vector<Sample> samples = network.samples(8);
  Options options;
  options.int8_softmax = true;
  const Result result = quantize(graph, samples, options);
  EXPECT_EQ(result_of(result.graph, "Unary1").quantization->scale[0], 1.0F / 256);
  EXPECT_EQ(result_of(result.graph, "Unary3").quantization->scale[0], 1.0F / 128);
  EXPECT_EQ(result_of(result.graph, "Softmax5").quantization->zero_point[0], -128);
  EXPECT_GT(signal_to_noise(graph, result.graph, samples), 25);
}

TEST(Quantize, SaturationReplacesClip) {
  FloatNetwork network(7);
  const TensorId clip = network.unary(UnaryKind::kClip, network.conv(network.input({1, 5, 5, 3}), 4, 3), -0.25F, 0.75F);
  const Graph graph = network.finish({clip});
  const std::vector<Sample> samples = network.samples(8);
  const Graph result = quantize(graph, samples, exact_ranges()).graph;
  EXPECT_EQ(result.operators.size(), 3U);
  EXPECT_NEAR(result_of(result, "Conv2d0").quantization->scale[0], 1.0F / 255, 1e-6F);
  EXPECT_GT(signal_to_noise(graph, result, samples), 30);
}

TEST(Quantize, ConstantsBecomeBytes) {
  FloatNetwork network(8);
  const TensorId input = network.input({1, 6, 6, 2});
  const TensorId scaled =
      network.add(graph::Binary{BinaryKind::kMultiply}, {input, network.random_constant({6, 6, 1}, 1)});
  const TensorId most =
      network.add(graph::Binary{BinaryKind::kMaximum}, {scaled, network.random_constant({6, 6, 2}, 0.3F)});
  graph::Pad pad;
  pad.before = pad.after = {0, 1, 1, 0};
  pad.value = -3;
  const Graph graph = network.finish({network.add(pad, {most})});
  const std::vector<Sample> samples = network.samples(8);
  const Graph result = quantize(graph, samples).graph;
  EXPECT_GT(signal_to_noise(graph, result, samples), 30);
  EXPECT_EQ(result_of(result, "Pad2").type, ElementType::kInt8);
}

TEST(Quantize, KeepsOtherTypes) {
  FloatNetwork network(9);
  const TensorId conv = network.conv(network.input({1, 5, 5, 3}), 4, 3);
  Graph graph = network.finish({conv});
  graph.outputs = {graph::GraphBuilder(graph, "cast").append(graph::Convert{}, {conv}, ElementType::kInt32)};
  const Result result = quantize(graph, network.samples(2));
  EXPECT_EQ(result.graph.tensor(result.graph.outputs[0]).type, ElementType::kInt32);
  EXPECT_EQ(result.report.layers[1].reason, "operands that are not float32");
}

TEST(Quantize, ReportsSignalToNoise) {
  FloatNetwork network(10);
  const Graph graph = network.finish({network.conv(network.input({1, 5, 5, 3}), 4, 3)});
  const std::vector<Sample> samples = network.samples(4);
  const Result result = quantize(graph, samples);
  ASSERT_EQ(result.report.layers.size(), 1U);
  const LayerReport& layer = result.report.layers[0];
  EXPECT_NEAR(layer.signal_to_noise(), signal_to_noise(graph, result.graph, samples), 0.01);
  EXPECT_EQ(result.report.samples, 4U);
  EXPECT_TRUE(layer.int8);
}

TEST(Quantize, RejectsInvalidSamplesAndOptions) {
  FloatNetwork network(11);
  const Graph graph = network.finish({network.conv(network.input({1, 5, 5, 3}), 4, 3)});
  const auto message = [&](const std::vector<Sample>& samples, double percentile) -> std::string {
    Options options;
    options.percentile = percentile;
    try {
      quantize(graph, samples, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({}, 99), HasSubstr("at least one calibration sample"));
  EXPECT_THAT(message(network.samples(1), 50), HasSubstr("above 50 and at most 100"));
  EXPECT_THAT(message({{}}, 99), HasSubstr("0 inputs given"));
  std::vector<Sample> infinite = network.samples(2);
  const float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(infinite[1][0].data.data(), &infinity, sizeof infinity);
  EXPECT_THAT(message(infinite, 99), HasSubstr("not a finite number in calibration sample 1"));
}

}  // namespace
}  // namespace systole::quantizer::test
