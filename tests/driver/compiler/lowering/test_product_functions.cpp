// SPDX-License-Identifier: Apache-2.0
// Functions of the results of products in block floating point that the products' kernels compute, and transposed left
// operands that become tiles. All equal the host bit for bit, in all configurations.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "float_net.hpp"

namespace systole::network {
namespace {

using graph::Arithmetic;
using graph::BinaryKind;
using graph::Shape;
using graph::TensorId;
using graph::UnaryKind;
using test::FloatNet;

constexpr std::uint32_t kSeed = 47'000;

TensorId subtract(FloatNet& net, TensorId a, TensorId b) { return net.binary(BinaryKind::kSubtract, a, b); }
TensorId multiply(FloatNet& net, TensorId a, TensorId b) { return net.binary(BinaryKind::kMultiply, a, b); }
TensorId add(FloatNet& net, TensorId a, TensorId b) { return net.binary(BinaryKind::kAdd, a, b); }
TensorId unary(FloatNet& net, UnaryKind kind, TensorId a) { return net.append(graph::Unary{kind}, {a}, net.shape(a)); }

/// x [K,M], y [K,N]: that of weights [M,N].
TensorId gradient(FloatNet& net, const Shape& weights, std::int64_t depth) {
  return net.append(graph::MatMul{true, false}, {net.input({depth, weights[0]}), net.input({depth, weights[1]})},
                    weights, Arithmetic::kBlocks);
}

/// x [M,K] by constant weights.
TensorId dense(FloatNet& net, const Shape& result, std::int64_t depth, bool biased) {
  std::vector<TensorId> inputs{net.input({result[0], depth}), net.constant({result[1], depth})};
  if (biased) {
    inputs.push_back(net.constant({result[1]}));
  }
  return net.append(graph::Dense{}, inputs, result, Arithmetic::kBlocks);
}

TensorId updated(FloatNet& net, TensorId gradient) {
  return subtract(net, net.input(net.shape(gradient)), multiply(net, gradient, net.input({})));
}

TEST(ProductFunctions, UpdatesOfWeights) {
  for (const auto& [weights, depth] : {std::pair{Shape{400, 64}, 32}, {Shape{200, 128}, 40}, {Shape{130, 100}, 16}}) {
    FloatNet net(kSeed);
    EXPECT_EQ(net.expect_equal({updated(net, gradient(net, weights, depth))}), 3U)
        << "tiles of both operands, and the product";
    EXPECT_EQ(net.counts().at("product_functions"), 1) << weights[0] << " x " << weights[1];
  }
}

TEST(ProductFunctions, HaveASecondResult) {
  FloatNet net(kSeed);
  const TensorId g = gradient(net, {300, 72}, 32);
  const TensorId momentum = add(net, multiply(net, net.input({300, 72}), net.constant({})), g);
  const TensorId weights = subtract(net, net.input({300, 72}), multiply(net, momentum, net.input({})));
  EXPECT_EQ(net.expect_equal({momentum, weights}), 3U);
  EXPECT_EQ(net.counts().at("product_functions"), 1);
}

TEST(ProductFunctions, FollowBiasSumAndLimits) {
  for (int parts = 0; parts < 8; ++parts) {
    SCOPED_TRACE(parts);
    FloatNet net(kSeed + static_cast<std::uint32_t>(parts));
    const Shape shape{256, 80};
    TensorId y = dense(net, shape, 24, (parts & 1) != 0);
    if ((parts & 2) != 0) {
      y = add(net, y, net.input(shape));
    }
    if ((parts & 4) != 0) {
      y = unary(net, UnaryKind::kRelu, y);
    }
    net.expect_equal({multiply(net, y, net.input(shape))});
    EXPECT_EQ(net.counts().at("product_functions"), 1);
  }
}

TEST(ProductFunctions, OfConvolutions) {
  FloatNet net(kSeed);
  Window window{3, 3};
  window.pad_top = window.pad_bottom = window.pad_left = window.pad_right = 1;
  const Shape shape{2, 20, 20, 24};
  const TensorId y = net.append(graph::Conv2d{window}, {net.input({2, 20, 20, 20}), net.constant({24, 3, 3, 20})},
                                shape, Arithmetic::kBlocks);
  net.expect_equal({multiply(net, y, net.input(shape))});
  EXPECT_EQ(net.counts().at("product_functions"), 1);
}

TEST(ProductFunctions, LeaveWhatOthersRead) {
  FloatNet net(kSeed);
  const TensorId g = gradient(net, {300, 64}, 32);
  net.expect_equal({updated(net, g), g});
  EXPECT_EQ(net.counts().at("product_functions"), 0);
}

/// What is read beside the product is computed after it.
TEST(ProductFunctions, WaitForTheirOperands) {
  FloatNet net(kSeed);
  const Shape shape{400, 64};
  const TensorId first = gradient(net, shape, 32), second = gradient(net, shape, 16);
  const TensorId scale = net.append(graph::Reduce{graph::ReduceKind::kMean, {0, 1}, false}, {second}, {});
  net.expect_equal({subtract(net, unary(net, UnaryKind::kAbs, second), multiply(net, first, scale)), second});
}

TEST(ProductFunctions, Random) {
  std::int64_t joined = 0, turned = 0;
  for (std::uint32_t round = 0; round < 12; ++round) {
    SCOPED_TRACE(fmt::format("seed {}", kSeed + round));
    FloatNet net(kSeed + round);
    const Shape shape{1 + net.number(300), 1 + net.number(100)};
    TensorId y = net.number(2) == 0 ? gradient(net, shape, 1 + net.number(80))
                                    : dense(net, shape, 1 + net.number(80), net.number(2) == 0);
    for (std::uint32_t i = 0; i < 1 + net.number(4); ++i) {
      const std::uint32_t kind = net.number(5);
      const TensorId other = net.number(3) == 0 ? net.input({}) : net.number(2) == 0 ? y : net.input(shape);
      y = kind == 0   ? unary(net, UnaryKind::kTanh, y)
          : kind == 1 ? add(net, other, y)
          : kind == 2 ? subtract(net, other, y)
                      : multiply(net, y, other);
    }
    net.expect_equal({y});
    joined += net.counts().at("product_functions");
    turned += net.counts().at("turned_tiles");
  }
  EXPECT_GT(joined, 3);
  EXPECT_GT(turned, 3);
}

TEST(TurnedTiles, OfAnySize) {
  for (std::uint32_t round = 0; round < 10; ++round) {
    SCOPED_TRACE(fmt::format("seed {}", kSeed + round));
    FloatNet net(kSeed + round);
    const Shape shape{1 + net.number(600), 1 + net.number(60)};
    net.expect_equal({gradient(net, shape, 2 + net.number(round % 2 == 0 ? 40 : 200))});
  }
}

TEST(TurnedTiles, LeaveWhatOthersRead) {
  FloatNet net(kSeed);
  const TensorId x = net.append(graph::Transpose{{1, 0}}, {net.input({48, 300})}, {300, 48});
  const TensorId y = net.append(graph::MatMul{}, {x, net.input({48, 40})}, {300, 40}, Arithmetic::kBlocks);
  net.expect_equal({x, y});
  EXPECT_EQ(net.counts().at("turned_tiles"), 0);
}

}  // namespace
}  // namespace systole::network
