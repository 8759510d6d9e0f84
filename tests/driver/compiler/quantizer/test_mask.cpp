// SPDX-License-Identifier: Apache-2.0
// Softmax after masks of every usual kind, and softmax that stays float.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "float_network.hpp"
#include "softmax_range.hpp"

namespace systole::quantizer::test {
namespace {

using graph::BinaryKind;
using graph::UnaryKind;
using testing::HasSubstr;

constexpr std::int64_t kTokens = 8, kWidth = 16;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLowest = std::numeric_limits<float>::lowest();

const LayerReport& layer_of(const Report& report, const std::string& origin) {
  const auto found = std::find_if(report.layers.rbegin(), report.layers.rend(),
                                  [&](const LayerReport& layer) { return layer.origin == origin; });
  if (found == report.layers.rend()) {
    throw graph::GraphError(std::string("no layer ").append(origin));
  }
  return *found;
}

/// One attention head whose scores a function masks: tokens x tokens, rows and the values that they weight.
class Attention {
 public:
  using Mask = std::function<TensorId(FloatNetwork&, TensorId)>;

  explicit Attention(const Mask& mask) : network_(5) {
    const TensorId input = network_.input({1, kTokens, kWidth});
    const TensorId scores = network_.dense(input, kTokens);
    const TensorId softmax = network_.add(graph::Softmax{}, {mask(network_, scores)});
    graph_ =
        network_.finish({network_.add(graph::MatMul{}, {softmax, network_.random_constant({kTokens, kWidth}, 1)})});
  }

  /// `given` are values of a second input.
  Result quantized(Calibration calibration = Calibration::kMeanSquareError, const std::vector<float>& given = {}) {
    std::vector<Sample> samples = network_.samples(32);
    for (Sample& sample : samples) {
      if (!given.empty()) {
        sample.at(1) = graph::make_value(graph::ElementType::kFloat32, sample.at(1).shape, given);
      }
    }
    Options options;
    options.calibration = calibration;
    return quantize(graph_, samples, options);
  }

 private:
  FloatNetwork network_;
  Graph graph_;
};

bool is_allowed(std::size_t i) { return i % kTokens <= i / kTokens; }

/// Zero where a token may attend to itself or an earlier one, otherwise `value`.
std::vector<float> causal(float value) {
  std::vector<float> mask(kTokens * kTokens);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = is_allowed(i) ? 0 : value;
  }
  return mask;
}

TensorId added(FloatNetwork& network, TensorId scores, TensorId mask) {
  return network.add(graph::Binary{BinaryKind::kAdd}, {scores, mask});
}

TensorId selected(FloatNetwork& network, TensorId scores, float value) {
  std::vector<std::uint8_t> allowed(kTokens * kTokens);
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    allowed[i] = is_allowed(i) ? 1 : 0;
  }
  return network.add(graph::Select{},
                     {network.condition({1, kTokens, kTokens}, allowed), scores, network.constant({1}, {value})});
}

double quality(const Result& result) { return layer_of(result.report, "Softmax").signal_to_noise(); }

class Masks : public testing::TestWithParam<Calibration> {
 protected:
  static double without() {
    return quality(Attention([](FloatNetwork&, TensorId scores) { return scores; }).quantized(GetParam()));
  }
  static void expect_as_good(const Result& result, const char* kind, float value) {
    EXPECT_GT(quality(result), without() - 1) << kind << " with " << value;
    EXPECT_GT(quality(result), 30) << kind << " with " << value;
    for (const LayerReport& layer : result.report.layers) {
      EXPECT_TRUE(layer.int8) << kind << " with " << value << ": " << layer.name << ": " << layer.reason;
      EXPECT_LT(layer.signal_to_noise(), 60) << kind << " with " << value << ": masked values count in " << layer.name;
    }
    EXPECT_TRUE(std::any_of(result.report.layers.begin(), result.report.layers.end(),
                            [](const LayerReport& layer) { return layer.masked > 0; }));
  }
};

TEST_P(Masks, KeepTheSoftmax) {
  for (const float value : {-100.0F, -1e4F, -1e9F, kLowest, -kInfinity}) {
    expect_as_good(Attention([&](FloatNetwork& network, TensorId scores) {
                     return added(network, scores, network.constant({1, kTokens, kTokens}, causal(value)));
                   }).quantized(GetParam()),
                   "scores + mask", value);
    expect_as_good(Attention([&](FloatNetwork& network, TensorId scores) {
                     return selected(network, scores, value);
                   }).quantized(GetParam()),
                   "where(allowed, scores, mask)", value);
    expect_as_good(Attention([&](FloatNetwork& network, TensorId scores) {
                     return network.add(graph::Binary{BinaryKind::kSubtract},
                                        {scores, network.constant({kTokens, kTokens}, causal(-value))});
                   }).quantized(GetParam()),
                   "scores - mask", value);
    expect_as_good(Attention([&](FloatNetwork& network, TensorId scores) {
                     return added(network, scores, network.constant({kTokens}, {0, 0, 0, 0, 0, 0, value, value}));
                   }).quantized(GetParam()),
                   "a mask within the bias", value);
    expect_as_good(Attention([&](FloatNetwork& network, TensorId scores) {
                     return added(network, scores, network.input({1, kTokens, kTokens}));
                   }).quantized(GetParam(), causal(value)),
                   "a mask that is an input", value);
    expect_as_good(
        Attention([&](FloatNetwork& network, TensorId scores) {
          const TensorId half = network.constant({}, {0.5F});
          const TensorId masked = added(network, scores, network.constant({1, kTokens, kTokens}, causal(value)));
          return network.add(graph::Binary{BinaryKind::kMultiply}, {masked, half});
        }).quantized(GetParam()),
        "a mask before a factor", value);
  }
}

std::string name_of(const testing::TestParamInfo<Calibration>& instance) {
  return instance.param == Calibration::kMinMax       ? "min_max"
         : instance.param == Calibration::kPercentile ? "percentile"
                                                      : "mean_square_error";
}
INSTANTIATE_TEST_SUITE_P(Calibrations, Masks,
                         testing::Values(Calibration::kMinMax, Calibration::kPercentile, Calibration::kMeanSquareError),
                         name_of);

/// As in BERT: (1 - allowed) * -10^4.
TEST(Mask, MayBeComputed) {
  const auto mask = [](float value) {
    return [value](FloatNetwork& network, TensorId scores) {
      const TensorId allowed = network.input({1, 1, kTokens});
      const TensorId closed = network.add(graph::Binary{BinaryKind::kSubtract}, {network.constant({}, {1}), allowed});
      return added(network, scores,
                   network.add(graph::Binary{BinaryKind::kMultiply}, {closed, network.constant({}, {value})}));
    };
  };
  const std::vector<float> allowed{1, 1, 1, 1, 1, 0, 0, 0};
  const double good = quality(Attention(mask(0)).quantized(Calibration::kMeanSquareError, allowed));
  EXPECT_GT(quality(Attention(mask(-1e4F)).quantized(Calibration::kMeanSquareError, allowed)), good - 1);
  // No int8 product covers this range: it stays float, and the rest is as accurate.
  const Result far = Attention(mask(kLowest)).quantized(Calibration::kMeanSquareError, allowed);
  EXPECT_GT(quality(far), good - 1);
  EXPECT_TRUE(layer_of(far.report, "Softmax").int8);
}

/// A position that biases only some scores is no mask, and keeps its values; so do fully masked rows.
TEST(Mask, MayBiasTheRest) {
  std::vector<float> slopes = causal(-1e9F);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    slopes[i] = is_allowed(i) ? -0.25F * static_cast<float>(i / kTokens - i % kTokens) : slopes[i];
  }
  for (std::size_t i = 0; i < kTokens; ++i) {
    slopes[i] = -1e9F;
  }
  const Result result = Attention([&](FloatNetwork& network, TensorId scores) {
                          return added(network, scores, network.constant({1, kTokens, kTokens}, slopes));
                        }).quantized();
  EXPECT_GT(quality(result), 25);
}

TEST(Softmax, RangeExcludesNegligibleValues) {
  SoftmaxRows rows(4, 1);
  rows.add(std::vector<float>{3, 2, 1, -1e30F, 2, 2.5F, -kInfinity, -kInfinity, -kInfinity, -kInfinity, -kInfinity,
                              -kInfinity});
  const Range range = softmax_range(rows).value();
  EXPECT_LT(range.low, -2);
  EXPECT_GT(range.low, -25);
  EXPECT_NEAR(range.high, 3, 0.1);
  EXPECT_LT(softmax_error(rows, int8_quantization(range)), 1e-2 * softmax_error(rows, int8_quantization({-100, 3})));
}

TEST(Softmax, RowWithoutFiniteValuesHasNoRange) {
  SoftmaxRows rows(2, 1);
  rows.add(std::vector<float>{-kInfinity, -kInfinity});
  EXPECT_FALSE(softmax_range(rows));
}

TEST(Softmax, SubsamplesManyRows) {
  SoftmaxRows rows(1 << 12, 1);
  for (int i = 0; i < 100; ++i) {
    rows.add(std::vector<float>(1 << 12, static_cast<float>(i)));
  }
  EXPECT_GE(rows.rows().size(), 8U);
  EXPECT_LE(rows.rows().size(), 16U);
  EXPECT_GT(rows.rows().back().front(), 80);
  for (std::size_t i = 0; i < rows.rows().size(); ++i) {
    EXPECT_EQ(rows.rows()[i], std::vector<float>(1 << 12, rows.rows()[1].front() * static_cast<float>(i)));
  }
  EXPECT_TRUE(softmax_range(rows));
}

/// Scores so close together that a step of their scale is too small for the fixed-point exponential.
TEST(Softmax, WithoutAnInt8FormStaysFloat) {
  FloatNetwork network(6);
  const TensorId input = network.input({4, 8});
  const TensorId weights = network.random_constant({8, 8}, 1e-9F);
  const TensorId softmax = network.add(graph::Softmax{}, {network.add(graph::Dense{}, {input, weights})});
  const Graph graph = network.finish({network.dense(softmax, 8)});
  const std::vector<Sample> samples = network.samples(8);
  const Result result = quantize(graph, samples);
  ASSERT_EQ(result.report.layers.size(), 3U);
  EXPECT_TRUE(result.report.layers[0].int8);
  EXPECT_FALSE(result.report.layers[1].int8);
  EXPECT_THAT(result.report.layers[1].reason, HasSubstr("2^-26"));
  EXPECT_TRUE(result.report.layers[2].int8);
  EXPECT_GT(signal_to_noise(graph, result.graph, samples), 25);
}

TEST(Softmax, FinalStaysFloatByDefault) {
  constexpr int kClasses = 1000;
  FloatNetwork network(7);
  const TensorId softmax = network.add(graph::Softmax{}, {network.dense(network.input({1, 32}), kClasses)});
  const Graph graph = network.finish({network.add(graph::Reshape{}, {softmax}, {{kClasses}})});
  const std::vector<Sample> samples = network.samples(16);
  const Result plain = quantize(graph, samples);
  EXPECT_FALSE(plain.report.layers[1].int8);
  EXPECT_THAT(plain.report.layers[1].reason, HasSubstr("a final softmax"));
  Options options;
  options.int8_softmax = true;
  const Result asked = quantize(graph, samples, options);
  EXPECT_TRUE(asked.report.layers[1].int8);
  EXPECT_GT(signal_to_noise(graph, plain.graph, samples), signal_to_noise(graph, asked.graph, samples) + 10);
  options.int8_softmax = false;
  options.border = Border::kInt8;
  const Graph with_bytes = quantize(graph, samples, options).graph;
  EXPECT_EQ(with_bytes.tensor(with_bytes.outputs[0]).type, graph::ElementType::kInt8);
}

/// The logarithm of negative numbers cannot be int8, nor can its readers; the layer before it can.
TEST(Quantize, ReportsNonFiniteTensorsThatStayFloat) {
  FloatNetwork network(8);
  const TensorId dense = network.dense(network.input({1, 8}), 8);
  const Graph graph = network.finish({network.dense(network.unary(UnaryKind::kLog, dense), 4)});
  const Result result = quantize(graph, network.samples(4));
  EXPECT_TRUE(result.report.layers[0].int8);
  EXPECT_FALSE(result.report.layers[2].int8);
  EXPECT_THAT(result.report.layers[2].reason, HasSubstr("not a finite number in calibration sample 0"));
}

/// Minus infinity is legal only in a mask.
TEST(Quantize, RejectsInfiniteInputWithoutMask) {
  FloatNetwork network(9);
  const Graph graph = network.finish({network.dense(network.input({1, 2}), 4)});
  const Sample sample{graph::make_value(graph::ElementType::kFloat32, {1, 2}, std::vector<float>{1, -kInfinity})};
  try {
    quantize(graph, {sample});
    FAIL() << "nothing is thrown";
  } catch (const graph::GraphError& error) {
    EXPECT_THAT(error.what(), HasSubstr("not a finite number in calibration sample 0"));
  }
}

}  // namespace
}  // namespace systole::quantizer::test
