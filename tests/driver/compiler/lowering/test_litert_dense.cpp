// SPDX-License-Identifier: Apache-2.0
// Dense layers in LiteRT's arithmetic: products with a real number that are rounded once. The device computes them
// where a factor of 31 bits rounds every sum in the same way, otherwise the host does, with the same result.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "host_comparison.hpp"
#include "quantized_net.hpp"
#include "seed.hpp"

namespace systole {
namespace {

constexpr int kDepth = 40, kOutputs = 12, kRows = 64;

/// `scales` of the weights, one for all outputs or one each. Sums are multiplied with them, and with `ratio` of the
/// other two scales.
graph::Graph dense(std::mt19937_64& random, const std::vector<float>& scales, float ratio,
                   graph::Arithmetic arithmetic) {
  const auto byte = [&] { return static_cast<int>(random() % 256) - 128; };
  test::QuantizedNet net({{0.03F}, {byte()}, 0});
  const graph::TensorId x = net.input({kRows, kDepth});
  net.graph().tensor(x).quantization->scale[0] *= ratio;
  graph::Bytes bytes(kDepth * kOutputs);
  for (std::uint8_t& weight : bytes) {
    weight = static_cast<std::uint8_t>(byte());
  }
  const graph::TensorId weights = net.weights({kOutputs, kDepth}, bytes);
  net.graph().tensor(weights).quantization = graph::Quantization{scales, std::vector<int>(scales.size(), 0), 0};
  std::vector<std::int32_t> biases(kOutputs);
  for (std::int32_t& bias : biases) {
    bias = byte() * 10;
  }
  const graph::TensorId bias = net.constant(graph::make_value(graph::ElementType::kInt32, {kOutputs}, biases));
  return net.finish({net.append(graph::Dense{Activation::kRelu}, {x, weights, bias}, {}, arithmetic)});
}

/// With inputs that the seed determines.
test::ComparedRun run(const graph::Graph& graph, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return test::compare_with_host(graph, random);
}

TEST(LiteRtDense, RunsOnTheDeviceAsOnTheHost) {
  std::mt19937_64 random(test::seed());
  std::uniform_real_distribution<float> exponent(-13, -5);
  int differ = 0;
  for (int round = 0; round < 40; ++round) {
    const bool ties = round % 4 < 2;  // of powers of two
    std::vector<float> scales(round % 2 == 0 ? 1 : kOutputs);
    for (float& scale : scales) {
      scale = std::exp2(ties ? std::floor(exponent(random)) : exponent(random));
    }
    const float ratio = ties ? 1 : 0.7F;
    const std::uint64_t seed = random();
    std::mt19937_64 same(seed), again(seed);
    const test::ComparedRun once = run(dense(same, scales, ratio, graph::Arithmetic::kLiteRt), seed);
    const test::ComparedRun twice = run(dense(again, scales, ratio, graph::Arithmetic::kTfLite), seed);
    EXPECT_TRUE(once.on_device);
    differ += once.bytes != twice.bytes ? 1 : 0;
  }
  EXPECT_GT(differ, 0) << "no case shows that the arithmetic matters";
}

TEST(LiteRtDense, RunsOnTheHostWithoutAnExactFactor) {
  std::mt19937_64 random(1);  // with other zero points there may be one
  EXPECT_FALSE(run(dense(random, {5e-8F}, 0.7F, graph::Arithmetic::kLiteRt), 1).on_device);
}

TEST(LiteRtDense, OtherOperatorsHaveNoSuchArithmetic) {
  test::QuantizedNet net({{0.5F}, {3}, 0});
  const graph::TensorId x = net.input({1, 4});
  try {
    net.append(graph::Binary{graph::BinaryKind::kAdd}, {x, x}, {}, graph::Arithmetic::kLiteRt);
    graph::validate(net.graph());
    FAIL() << "a sum in LiteRT's arithmetic is legal";
  } catch (const graph::GraphError& error) {
    EXPECT_NE(std::string(error.what()).find("LiteRT's arithmetic has only Dense of int8"), std::string::npos);
  }
}

}  // namespace
}  // namespace systole
