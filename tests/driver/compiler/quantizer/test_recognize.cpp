// SPDX-License-Identifier: Apache-2.0
// Functions that a file spells out become single operators, whose function is the same.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "float_network.hpp"
#include "prepare.hpp"

namespace systole::quantizer::test {
namespace {

using graph::BinaryKind;
using graph::UnaryKind;

constexpr double kSame = 100;  // dB: roundings of float32

/// Operators as files spell functions.
class Speller {
 public:
  explicit Speller(FloatNetwork& network) : network_(network) {}

  TensorId number(float value) { return network_.constant({}, {value}); }
  TensorId binary(BinaryKind kind, TensorId a, TensorId b) { return network_.add(graph::Binary{kind}, {a, b}); }
  TensorId add(TensorId a, TensorId b) { return binary(BinaryKind::kAdd, a, b); }
  TensorId subtract(TensorId a, TensorId b) { return binary(BinaryKind::kSubtract, a, b); }
  TensorId multiply(TensorId a, TensorId b) { return binary(BinaryKind::kMultiply, a, b); }
  TensorId divide(TensorId a, TensorId b) { return binary(BinaryKind::kDivide, a, b); }
  TensorId power(TensorId a, float b) { return binary(BinaryKind::kPower, a, number(b)); }
  TensorId unary(UnaryKind kind, TensorId a) { return network_.unary(kind, a); }
  TensorId mean(TensorId a, int axis = -1) {
    graph::Reduce reduce;
    reduce.axes = {axis};
    return network_.add(reduce, {a});
  }
  FloatNetwork& network() { return network_; }

 private:
  FloatNetwork& network_;
};

/// x [2, 5, 6] and constants for its channels.
struct Normalized {
  TensorId x, gamma, beta;
  float epsilon = 1e-3F;
};

TensorId as_tensorflow_does(Speller& s, const Normalized& n) {
  const TensorId mean = s.mean(n.x);
  const TensorId variance = s.mean(s.binary(BinaryKind::kSquaredDifference, n.x, mean));
  const TensorId root = s.unary(UnaryKind::kReciprocalSqrt, s.add(variance, s.number(n.epsilon)));
  const TensorId factor = s.multiply(root, n.gamma);
  return s.add(s.multiply(n.x, factor), s.subtract(n.beta, s.multiply(mean, factor)));
}

TensorId as_pytorch_does(Speller& s, const Normalized& n) {
  const TensorId centered = s.subtract(n.x, s.mean(n.x));
  const TensorId variance = s.mean(s.power(centered, 2));
  const TensorId deviation = s.unary(UnaryKind::kSqrt, s.add(variance, s.number(n.epsilon)));
  return s.add(s.multiply(s.divide(centered, deviation), n.gamma), n.beta);
}

/// The expansion of ONNX's LayerNormalization.
TensorId as_onnx_does(Speller& s, const Normalized& n) {
  const TensorId centered = s.subtract(n.x, s.mean(n.x));
  const TensorId variance = s.mean(s.multiply(centered, centered));
  const TensorId deviation = s.unary(UnaryKind::kSqrt, s.add(s.number(n.epsilon), variance));
  const TensorId normalized = s.multiply(centered, s.unary(UnaryKind::kReciprocal, deviation));
  return s.add(n.beta, s.multiply(n.gamma, normalized));
}

/// The variance as a difference of means.
TensorId as_flax_does(Speller& s, const Normalized& n) {
  const TensorId mean = s.mean(n.x);
  const TensorId variance = s.subtract(s.mean(s.power(n.x, 2)), s.multiply(mean, mean));
  const TensorId root = s.power(s.add(variance, s.number(n.epsilon)), -0.5F);
  return s.add(s.multiply(s.subtract(n.x, mean), s.multiply(root, n.gamma)), n.beta);
}

using Normalization = std::function<TensorId(Speller&, const Normalized&)>;

/// The prepared network of one normalization, whose function is checked.
Graph prepared(const Normalization& spelled, std::uint32_t seed = 1) {
  FloatNetwork network(seed);
  Speller s(network);
  const TensorId x = network.input({2, 5, 6});
  const Graph graph = network.finish(
      {spelled(s, {x, network.random_constant({6}, 0.5F, 1.5F), network.random_constant({6}, 1), 1e-3F})});
  const Graph result = prepare(graph);
  EXPECT_GT(signal_to_noise(graph, result, network.samples(3)), kSame);
  return result;
}

TEST(Recognize, LayerNormalizations) {
  for (const Normalization& spelled : {Normalization(as_tensorflow_does), Normalization(as_pytorch_does),
                                       Normalization(as_onnx_does), Normalization(as_flax_does)}) {
    const Graph result = prepared(spelled);
    ASSERT_EQ(kinds(result), std::vector<std::string>{"LayerNormalize"});
    EXPECT_EQ(std::get<graph::LayerNormalize>(result.operators[0].kind).epsilon, 1e-3F);
  }
}

TEST(Recognize, LayerNormalizationWithoutFactorsOrSummands) {
  EXPECT_EQ(kinds(prepared([](Speller& s, const Normalized& n) {
              const TensorId centered = s.subtract(n.x, s.mean(n.x));
              const TensorId variance = s.mean(s.multiply(centered, centered));
              return s.divide(centered, s.unary(UnaryKind::kSqrt, s.add(variance, s.number(n.epsilon))));
            })),
            std::vector<std::string>{"LayerNormalize"});
}

TEST(Recognize, LayerNormalizationsInAChain) {
  EXPECT_EQ(kinds(prepared([](Speller& s, const Normalized& n) {
              const TensorId first = as_tensorflow_does(s, n);
              const TensorId sum = s.add(first, n.x);
              return s.add(as_pytorch_does(s, {sum, n.gamma, n.beta}), sum);
            })),
            (std::vector<std::string>{"LayerNormalize", "Binary", "LayerNormalize", "Binary"}));
}

bool has_normalization(const Graph& graph) {
  const std::vector<std::string> all = kinds(graph);
  return std::count(all.begin(), all.end(), "LayerNormalize") != 0;
}

TEST(Recognize, NoLayerNormalizationWhoseInnerTensorIsRead) {
  // The mean, the variance and the normalized values: each is read by an operator outside.
  EXPECT_FALSE(has_normalization(prepared([](Speller& s, const Normalized& n) {
    const TensorId mean = s.mean(n.x);
    const TensorId centered = s.subtract(n.x, mean);
    const TensorId variance = s.mean(s.power(centered, 2));
    const TensorId deviation = s.unary(UnaryKind::kSqrt, s.add(variance, s.number(n.epsilon)));
    return s.multiply(s.divide(centered, deviation), s.unary(UnaryKind::kExp, mean));
  })));
  EXPECT_FALSE(has_normalization(prepared([](Speller& s, const Normalized& n) {
    const TensorId centered = s.subtract(n.x, s.mean(n.x));
    const TensorId variance = s.mean(s.power(centered, 2));
    const TensorId deviation = s.unary(UnaryKind::kSqrt, s.add(variance, s.number(n.epsilon)));
    return s.multiply(s.divide(centered, deviation), s.unary(UnaryKind::kSin, variance));
  })));
  FloatNetwork network(2);
  Speller s(network);
  const TensorId x = network.input({5, 6});
  const TensorId centered = s.subtract(x, s.mean(x));
  const TensorId variance = s.mean(s.power(centered, 2));
  const TensorId deviation = s.unary(UnaryKind::kSqrt, s.add(variance, s.number(1)));
  EXPECT_FALSE(has_normalization(prepare(network.finish({s.divide(centered, deviation), centered}))));
}

TEST(Recognize, LayerNormalizationBeforeItsLastFactors) {
  // Another operator reads the values before the factors: those stay apart.
  EXPECT_EQ(kinds(prepared([](Speller& s, const Normalized& n) {
              const TensorId plain = as_pytorch_does(s, n);
              const TensorId scaled = s.multiply(plain, n.gamma);
              return s.add(scaled, s.unary(UnaryKind::kSin, plain));
            })),
            (std::vector<std::string>{"LayerNormalize", "Binary", "Unary", "Binary"}));
}

TEST(Recognize, NoLayerNormalizationOfOtherFunctions) {
  const auto with = [](BinaryKind squares, int axis, const Shape& factors, float power) {
    return prepared([=](Speller& s, const Normalized& n) {
      const TensorId centered = s.subtract(n.x, s.mean(n.x, axis));
      const TensorId variance = s.mean(s.binary(squares, centered, centered), axis);
      const TensorId positive = s.add(s.power(variance, 2), s.number(n.epsilon));
      const TensorId sum = power == 2 ? positive : s.add(variance, s.number(n.epsilon));
      return s.multiply(s.divide(centered, s.unary(UnaryKind::kSqrt, sum)),
                        s.network().random_constant(factors, 0.5F, 1.5F));
    });
  };
  EXPECT_TRUE(has_normalization(with(BinaryKind::kMultiply, 2, {6}, 1)));
  EXPECT_FALSE(has_normalization(with(BinaryKind::kAdd, 2, {6}, 2)));
  EXPECT_FALSE(has_normalization(with(BinaryKind::kMultiply, 1, {6}, 1)));
  EXPECT_FALSE(has_normalization(with(BinaryKind::kMultiply, 2, {6}, 2)));
  // Factors of rows follow the normalization.
  EXPECT_EQ(kinds(with(BinaryKind::kMultiply, 2, {5, 1}, 1)), (std::vector<std::string>{"LayerNormalize", "Binary"}));
}

using Activation = std::function<TensorId(Speller&, TensorId)>;

/// The network of one activation of values between -8 and 8, and the prepared one.
struct Activated {
  explicit Activated(const Activation& spelled) : network(3) {
    Speller s(network);
    const TensorId x = network.unary(UnaryKind::kIdentity, network.input({4, 64}));
    graph = network.finish({spelled(s, s.multiply(x, s.number(8)))});
    result = prepare(graph);
    for (const Sample& sample : network.samples(4)) {
      const std::vector<float> wanted = run(graph, sample), got = run(result, sample);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        difference = std::max(difference, std::abs(wanted[i] - got[i]));
      }
    }
  }
  bool is_gelu() const {
    const auto* unary = std::get_if<graph::Unary>(&result.operators.back().kind);
    return result.operators.size() == 2 && unary != nullptr && unary->kind == UnaryKind::kGelu;
  }

  FloatNetwork network;
  Graph graph, result;
  float difference = 0;
};

constexpr float kRootHalf = 0.70710678F;

TEST(Recognize, GelusOfTheErrorFunction) {
  const std::vector<Activation> all = {
      [](Speller& s, TensorId x) {  // PyTorch
        const TensorId erf = s.unary(UnaryKind::kErf, s.divide(x, s.number(1.41421356F)));
        return s.multiply(s.multiply(x, s.add(erf, s.number(1))), s.number(0.5F));
      },
      [](Speller& s, TensorId x) {  // TensorFlow
        const TensorId erf = s.unary(UnaryKind::kErf, s.multiply(s.number(kRootHalf), x));
        return s.multiply(s.multiply(s.number(0.5F), x), s.add(s.number(1), erf));
      },
      [](Speller& s, TensorId x) {
        const TensorId half = s.multiply(x, s.number(0.5F));
        return s.add(half, s.multiply(half, s.unary(UnaryKind::kErf, s.multiply(x, s.number(kRootHalf)))));
      }};
  for (const Activation& spelled : all) {
    const Activated activated(spelled);
    EXPECT_TRUE(activated.is_gelu());
    EXPECT_LT(activated.difference, 1e-5F);
  }
}

TensorId with_tanh(Speller& s, TensorId x, TensorId cube, float slope, float cubic) {
  const TensorId inner = s.multiply(s.number(slope), s.add(x, s.multiply(s.number(cubic), cube)));
  return s.multiply(s.multiply(s.number(0.5F), x), s.add(s.number(1), s.unary(UnaryKind::kTanh, inner)));
}

TEST(Recognize, GelusOfTheHyperbolicTangent) {
  const std::vector<Activation> all = {
      [](Speller& s, TensorId x) { return with_tanh(s, x, s.power(x, 3), 0.7978846F, 0.044715F); },
      [](Speller& s, TensorId x) { return with_tanh(s, x, s.multiply(s.multiply(x, x), x), 0.79788F, 0.044715F); },
      [](Speller& s, TensorId x) {  // x (1 + 0.044715 x^2)
        const TensorId even = s.add(s.multiply(s.multiply(x, s.number(0.044715F)), x), s.number(1));
        const TensorId inner = s.multiply(s.multiply(x, s.number(0.7978846F)), even);
        return s.multiply(s.multiply(x, s.number(0.5F)), s.add(s.unary(UnaryKind::kTanh, inner), s.number(1)));
      }};
  for (const Activation& spelled : all) {
    const Activated activated(spelled);
    EXPECT_TRUE(activated.is_gelu());
    EXPECT_LT(activated.difference, 5e-4F);
    EXPECT_GT(activated.difference, 1e-4F);
  }
}

TEST(Recognize, NetworksInBlocksKeepTheApproximationOfGelu) {
  const auto kinds_in_blocks = [](const Activation& spelled) { return kinds(to_blocks(Activated(spelled).graph)); };
  const auto exact = kinds_in_blocks([](Speller& s, TensorId x) {
    const TensorId erf = s.unary(UnaryKind::kErf, s.divide(x, s.number(1.41421356F)));
    return s.multiply(s.multiply(x, s.add(erf, s.number(1))), s.number(0.5F));
  });
  EXPECT_EQ(exact, (std::vector<std::string>{"Binary", "Unary"}));
  const auto approximate =
      kinds_in_blocks([](Speller& s, TensorId x) { return with_tanh(s, x, s.power(x, 3), 0.7978846F, 0.044715F); });
  EXPECT_GT(approximate.size(), 5U);
  const auto beside_the_error_function = kinds_in_blocks([](Speller& s, TensorId x) {
    return s.add(with_tanh(s, x, s.power(x, 3), 0.7978846F, 0.044715F), s.unary(UnaryKind::kErf, x));
  });
  EXPECT_EQ(beside_the_error_function.size(), approximate.size() + 2);
}

TEST(Recognize, NoGeluOfOtherFunctions) {
  const std::vector<Activation> all = {
      [](Speller& s, TensorId x) { return with_tanh(s, x, s.power(x, 3), 0.7978846F, 0.05F); },
      [](Speller& s, TensorId x) { return with_tanh(s, x, s.power(x, 3), 0.8F, 0.044715F); },
      [](Speller& s, TensorId x) { return with_tanh(s, x, s.power(x, 2), 0.7978846F, 0.044715F); },
      [](Speller& s, TensorId x) {
        const TensorId erf = s.unary(UnaryKind::kErf, x);
        return s.multiply(s.multiply(x, s.add(erf, s.number(1))), s.number(0.5F));
      },
      [](Speller& s, TensorId x) {
        const TensorId erf = s.unary(UnaryKind::kErf, s.multiply(x, s.number(kRootHalf)));
        return s.add(s.multiply(s.multiply(x, s.add(erf, s.number(1))), s.number(0.5F)), erf);
      }};
  for (const Activation& spelled : all) {
    const Activated activated(spelled);
    EXPECT_FALSE(activated.is_gelu());
    EXPECT_LT(activated.difference, 1e-5F);
  }
}

}  // namespace
}  // namespace systole::quantizer::test
