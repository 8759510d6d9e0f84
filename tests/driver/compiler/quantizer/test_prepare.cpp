// SPDX-License-Identifier: Apache-2.0
// Preparation and equalization do not change the function of the network.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attributes.hpp"
#include "equalize.hpp"
#include "float_network.hpp"
#include "prepare.hpp"
#include "rewrite.hpp"

namespace systole::quantizer::test {
namespace {

constexpr double kSame = 100;  // dB: roundings of float32

using graph::BinaryKind;
using graph::UnaryKind;

/// The prepared graph; checks that the function is the same.
Graph prepared(FloatNetwork& network, TensorId output) {
  const Graph graph = network.finish({output});
  const Graph result = prepare(graph);
  EXPECT_GT(signal_to_noise(graph, result, network.samples(3)), kSame);
  return result;
}

RC_GTEST_PROP(Prepare, KeepsTheFunction, (std::uint32_t seed)) {
  FloatNetwork network(seed);
  const Graph graph = random_network(network);
  const Graph result = prepare(graph);
  RC_ASSERT(result.operators.size() <= graph.operators.size());
  RC_ASSERT(signal_to_noise(graph, result, network.samples(2)) > kSame);
}

TEST(Prepare, FoldsBatchNormalizationAndRelu) {
  FloatNetwork network(1);
  const TensorId conv = network.conv(network.input({1, 5, 5, 3}), 4, 3, 1, 1);
  const Graph result = prepared(network, network.unary(UnaryKind::kRelu, network.batch_normalization(conv)));
  EXPECT_EQ(result.operators.size(), 1U);
  EXPECT_EQ(std::get<graph::Conv2d>(result.operators[0].kind).activation, Activation::kRelu);
}

TEST(Prepare, FoldsInputScaleIntoWeights) {
  FloatNetwork network(2);
  const TensorId input = network.input({1, 5, 5, 3});
  const TensorId scaled = network.add(graph::Binary{BinaryKind::kDivide}, {input, network.constant({1}, {255})});
  EXPECT_EQ(prepared(network, network.conv(scaled, 4, 3, 1, 1)).operators.size(), 1U);
}

TEST(Prepare, FoldsInputMeanIntoBiasWithoutPadding) {
  for (const int pad : {0, 1}) {
    FloatNetwork network(3);
    const TensorId input = network.input({1, 5, 5, 3});
    const TensorId centered =
        network.add(graph::Binary{BinaryKind::kSubtract}, {input, network.random_constant({3}, 1)});
    EXPECT_EQ(prepared(network, network.conv(centered, 4, 3, 1, pad)).operators.size(), pad == 0 ? 1U : 2U);
  }
}

TEST(Prepare, FoldsSubtractionFromConstant) {
  FloatNetwork network(4);
  const TensorId conv = network.conv(network.input({1, 5, 5, 3}), 4, 3);
  const TensorId mirrored = network.add(graph::Binary{BinaryKind::kSubtract}, {network.constant({1}, {1}), conv});
  EXPECT_EQ(prepared(network, mirrored).operators.size(), 1U);
}

TEST(Prepare, KeepsResultWithOtherUsers) {
  FloatNetwork network(5);
  const TensorId conv = network.conv(network.input({1, 5, 5, 4}), 4, 3, 1, 1);
  const TensorId sum = network.add(graph::Binary{BinaryKind::kAdd}, {network.batch_normalization(conv), conv});
  EXPECT_EQ(kinds(prepared(network, sum)), (std::vector<std::string>{"Conv2d", "Conv2d", "Binary"}));
}

TEST(Prepare, UnfoldedNormalizationBecomesDepthwise) {
  FloatNetwork network(13);
  const TensorId relu = network.unary(UnaryKind::kRelu, network.input({1, 5, 5, 4}));
  const TensorId normalized = network.batch_normalization(network.unary(UnaryKind::kSigmoid, relu));
  const Graph result = prepared(network, network.unary(UnaryKind::kRelu, normalized));
  EXPECT_EQ(kinds(result), (std::vector<std::string>{"Unary", "Unary", "Conv2d"}));
  EXPECT_EQ(std::get<graph::Conv2d>(result.operators[2].kind).groups, 4);
  EXPECT_EQ(std::get<graph::Conv2d>(result.operators[2].kind).activation, Activation::kRelu);
}

TEST(Prepare, KeepsConstantThatVariesAlongImage) {
  FloatNetwork network(6);
  const TensorId conv = network.conv(network.input({1, 5, 5, 4}), 4, 3, 1, 1);
  const TensorId sum = network.add(graph::Binary{BinaryKind::kAdd}, {conv, network.random_constant({5, 5, 1}, 1)});
  EXPECT_EQ(prepared(network, sum).operators.size(), 2U);
}

TEST(Prepare, MatrixProductsBecomeDense) {
  for (const bool transposed : {false, true}) {
    FloatNetwork network(7);
    const TensorId weights = network.random_constant(transposed ? Shape{4, 6} : Shape{6, 4}, 1);
    const TensorId product = network.add(graph::MatMul{false, transposed}, {network.input({2, 6}), weights});
    const TensorId sum = network.add(graph::Binary{BinaryKind::kAdd}, {product, network.random_constant({1, 4}, 1)});
    EXPECT_EQ(kinds(prepared(network, sum)), kinds([] {
                FloatNetwork expected(0);
                return expected.finish({expected.dense(expected.input({2, 6}), 4)});
              }()));
  }
}

/// Transpositions are moved through reshapes that only add and remove dimensions of 1, until one is left.
RC_GTEST_PROP(Prepare, MovesOfElementsBecomeOne, (std::uint32_t seed)) {
  FloatNetwork network(seed);
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(network.random());
  };
  Shape shape;
  for (int i = pick(2, 4); i > 0; --i) {
    shape.push_back(pick(1, 4));
  }
  TensorId at = network.input(shape);
  for (int i = pick(1, 6); i > 0; --i) {
    shape = network.shape(at);
    if (pick(0, 1) == 0) {
      std::vector<int> permutation(shape.size());
      std::iota(permutation.begin(), permutation.end(), 0);
      std::shuffle(permutation.begin(), permutation.end(), network.random());
      at = network.add(graph::Transpose{permutation}, {at});
      continue;
    }
    shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
    for (int ones = pick(shape.empty() ? 1 : 0, 2); ones > 0; --ones) {
      shape.insert(shape.begin() + pick(0, static_cast<int>(shape.size())), 1);
    }
    at = network.add(graph::Reshape{}, {at}, {shape});
  }
  const Graph graph = network.finish({network.unary(UnaryKind::kSin, at)});
  const Graph result = prepare(graph);
  for (const Sample& sample : network.samples(1)) {
    RC_ASSERT(run(graph, sample) == run(result, sample));
    RC_ASSERT(execute(graph, sample).at(0).shape == execute(result, sample).at(0).shape);
  }
  const std::vector<std::string> all = kinds(result);
  RC_ASSERT(std::count(all.begin(), all.end(), "Transpose") <= 1);
}

TEST(Prepare, NegationFoldsIntoALayer) {
  FloatNetwork network(14);
  const TensorId dense = network.dense(network.input({2, 6}), 4);
  EXPECT_EQ(kinds(prepared(network, network.unary(UnaryKind::kNegate, dense))), std::vector<std::string>{"Dense"});
}

TEST(Prepare, ImageMeanBecomesPool) {
  FloatNetwork network(8);
  graph::Reduce mean;
  mean.axes = {-2, 1};
  const Graph result = prepared(network, network.add(mean, {network.input({1, 5, 4, 3})}));
  EXPECT_TRUE(std::holds_alternative<graph::Pool>(result.operators[0].kind));
}

TEST(Prepare, ClipsBecomeActivations) {
  for (const auto& [low, high, activation] :
       {std::tuple{0.0F, 6.0F, Activation::kRelu6}, std::tuple{0.0F, 3e38F, Activation::kRelu},
        std::tuple{-1.0F, 1.0F, Activation::kReluN1To1}}) {
    FloatNetwork network(9);
    const Graph result =
        prepared(network, network.unary(UnaryKind::kClip, network.conv(network.input({1, 4, 4, 2}), 3, 3), low, high));
    ASSERT_EQ(result.operators.size(), 1U);
    EXPECT_EQ(*activation_of(result.operators[0].kind), activation);
  }
}

TEST(Prepare, MaximumWithZeroBecomesRelu) {
  FloatNetwork network(10);
  const TensorId conv = network.conv(network.input({1, 4, 4, 2}), 3, 3);
  const Graph result =
      prepared(network, network.add(graph::Binary{BinaryKind::kMaximum}, {network.constant({}, {0}), conv}));
  ASSERT_EQ(result.operators.size(), 1U);
  EXPECT_EQ(*activation_of(result.operators[0].kind), Activation::kRelu);
}

Options everywhere() {
  Options options;
  options.equalization = Equalization::kOn;
  options.calibration = Calibration::kMinMax;
  return options;
}

RC_GTEST_PROP(Equalize, KeepsTheFunction, (std::uint32_t seed)) {
  FloatNetwork network(seed);
  const Graph graph = prepare(random_network(network));
  const std::vector<Sample> samples = network.samples(2);
  Graph equalized = graph;
  const std::vector<LayerPair> pairs = find_pairs(graph);
  Observations observations = calibrate(graph, samples, divided_tensors(graph, pairs));
  const auto done = equalize(equalized, pairs, observations, everywhere());
  RC_ASSERT(done.size() <= pairs.size());
  RC_ASSERT(signal_to_noise(graph, equalized, samples) > kSame);
}

/// The equalized network computes exactly the predicted divided values.
RC_GTEST_PROP(Equalize, ObservationsAreThoseOfTheNewGraph, (std::uint32_t seed)) {
  FloatNetwork network(seed);
  Graph graph = prepare(random_network(network));
  const std::vector<Sample> samples = network.samples(2);
  const std::vector<LayerPair> pairs = find_pairs(graph);
  Observations expected = calibrate(graph, samples, divided_tensors(graph, pairs));
  equalize(graph, pairs, expected, everywhere());
  for (const auto& [id, actual] : calibrate(graph, samples)) {
    const Statistics& wanted = expected.at(id).values;
    const double tolerance = 1e-4 * std::max(1e-3, std::max(actual.values.max(), -actual.values.min()));
    RC_ASSERT(std::abs(wanted.min() - actual.values.min()) < tolerance);
    RC_ASSERT(std::abs(wanted.max() - actual.values.max()) < tolerance);
    RC_ASSERT(wanted.count() == actual.values.count());
    RC_ASSERT(std::abs(wanted.mean_square() - actual.values.mean_square()) <=
              0.01 * actual.values.mean_square() + 1e-9);
  }
}

/// Two layers with a pool between them, where one channel is a thousand times another.
Graph uneven(FloatNetwork& network, int groups) {
  TensorId at = network.conv(network.input({1, 6, 6, 3}), 4, 3, 1, 1);
  at = network.add(graph::Binary{BinaryKind::kMultiply}, {at, network.constant({4}, {0.1F, 100, 1, 10})});
  at = network.pool(graph::PoolKind::kMax, network.unary(UnaryKind::kRelu, at), 2, 2);
  at = network.add(graph::Binary{BinaryKind::kMultiply}, {at, network.constant({4}, {10, 0.01F, 1, 0.1F})});
  return network.finish({network.conv(at, 4, 3, 1, 1, groups)});
}

TEST(Equalize, ReducesErrorIfChannelsDiffer) {
  for (const int groups : {1, 4}) {
    FloatNetwork network(11);
    const Graph graph = uneven(network, groups);
    const std::vector<Sample> samples = network.samples(16);
    Options options;
    options.equalization = Equalization::kOff;
    const Result without = quantize(graph, samples, options);
    options.equalization = Equalization::kAuto;
    const Result with = quantize(graph, samples, options);
    EXPECT_EQ(with.report.equalized.size(), 1U);
    EXPECT_TRUE(without.report.equalized.empty());
    EXPECT_GT(signal_to_noise(graph, with.graph, samples), signal_to_noise(graph, without.graph, samples) + 6)
        << groups << " groups";
  }
}

/// The expected error of a pair is part of the error of its int8 form: nearly all of it where channels differ.
TEST(Equalize, PredictsError) {
  for (const int groups : {1, 4}) {
    FloatNetwork network(14);
    const Graph graph = prepare(uneven(network, groups));
    const std::vector<Sample> samples = network.samples(16);
    const std::vector<LayerPair> pairs = find_pairs(graph);
    ASSERT_EQ(pairs.size(), 1U);
    Options options;
    options.equalization = Equalization::kOff;
    const Observations observations = calibrate(graph, samples, divided_tensors(graph, pairs));
    const Observed& first = observations.at(graph.operators[pairs[0].first].outputs[0]);
    for (const std::vector<double>& divisors :
         {std::vector<double>{1, 1, 1, 1}, std::vector<double>{0.1, 100, 1, 10}}) {
      Graph divided = graph;
      divide_channels(divided, pairs[0], divisors);
      const double expected = expected_error(graph, pairs[0], first, divisors, options);
      const LayerReport& last = quantize(divided, samples, options).report.layers.back();
      const double actual = 4 * last.noise;  // of four outputs
      EXPECT_LT(expected, 1.5 * actual) << groups << " groups";
      if (divisors[0] == 1) {
        EXPECT_GT(expected, 0.5 * actual) << groups << " groups";
      }
    }
  }
}

/// The network runs once for each sample, and for the report both run once more, however many pairs there are.
TEST(Equalize, RunsNoNetwork) {
  for (const int layers : {2, 12}) {
    FloatNetwork network(15);
    TensorId at = network.input({1, 6, 6, 3});
    for (int i = 0; i < layers; ++i) {
      at = network.conv(at, 4, 3, 1, 1, 1, Activation::kRelu);
    }
    const Graph graph = network.finish({at});
    ASSERT_EQ(find_pairs(graph).size(), static_cast<std::size_t>(layers - 1));
    Options options;
    options.equalization = Equalization::kOn;
    options.compared_samples = 2;
    std::vector<std::size_t> runs(2);
    options.progress = [&](const Progress& progress) {
      std::size_t& done = runs[progress.stage == Progress::Stage::kCalibration ? 0 : 1];
      EXPECT_EQ(progress.done, ++done);
      EXPECT_EQ(progress.of, progress.stage == Progress::Stage::kCalibration ? 5U : 2U);
    };
    EXPECT_EQ(quantize(graph, network.samples(5), options).report.equalized.size(),
              static_cast<std::size_t>(layers - 1));
    EXPECT_EQ(runs, (std::vector<std::size_t>{5, 2}));
  }
}

TEST(Equalize, NotAcrossBoundedActivationOrSecondUser) {
  FloatNetwork network(12);
  const TensorId bounded = network.conv(network.input({1, 6, 6, 3}), 4, 3, 1, 1, 1, Activation::kRelu6);
  const TensorId read_twice = network.conv(bounded, 4, 3, 1, 1);
  const TensorId last = network.conv(read_twice, 4, 3, 1, 1);
  EXPECT_TRUE(find_pairs(network.finish({network.add(graph::Binary{BinaryKind::kAdd}, {read_twice, last})})).empty());
}

TEST(Equalize, AcrossFlatten) {
  FloatNetwork network(13);
  const TensorId flat = network.flatten(network.conv(network.input({1, 6, 6, 3}), 4, 3, 1, 1));
  const Graph graph = network.finish({network.dense(flat, 3)});
  ASSERT_EQ(find_pairs(graph).size(), 1U);
  Graph equalized = graph;
  divide_channels(equalized, find_pairs(graph)[0], {0.5, 8, 3, 0.1});
  EXPECT_GT(signal_to_noise(graph, equalized, network.samples(2)), kSame);
}

}  // namespace
}  // namespace systole::quantizer::test
