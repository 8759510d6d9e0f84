// SPDX-License-Identifier: Apache-2.0
// Kernels that the compiler makes: chains of element-wise operators, and functions of rows beside products in block
// floating point. Parts of tensors that are read in place. All equal the host bit for bit, in all configurations.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "float_net.hpp"

namespace systole::network {
namespace {

using graph::Arithmetic;
using graph::BinaryKind;
using graph::ElementType;
using graph::Graph;
using graph::Shape;
using graph::TensorId;

constexpr std::uint32_t kSeed = 20'000;

TEST(MadeKernels, ChainsOfElements) {
  for (std::uint32_t round = 0; round < 24; ++round) {
    SCOPED_TRACE(fmt::format("seed {}", kSeed + round));
    test::FloatNet net(kSeed + round);
    const std::vector<Shape> shapes{{1, 64}, {1, 176}, {8, 20}, {3, 5, 7}, {1, 16}, {40, 33}, {1, 5}};
    const Shape shape = shapes[net.number(static_cast<std::uint32_t>(shapes.size()))];
    std::vector<TensorId> made;
    for (std::uint32_t i = 0; i < 1 + net.number(6); ++i) {
      made.push_back(net.input(shape));
    }
    for (std::uint32_t i = 0; i < 2 + net.number(8); ++i) {
      const auto any = [&] { return made[net.number(static_cast<std::uint32_t>(made.size()))]; };
      const auto kind = std::vector{BinaryKind::kAdd, BinaryKind::kSubtract, BinaryKind::kMultiply}[net.number(3)];
      const std::uint32_t choice = net.number(6);
      made.push_back(choice == 0   ? net.sigmoid(any())
                     : choice == 1 ? net.binary(kind, any(), net.constant({1}))
                                   : net.binary(kind, made.back(), any()));
    }
    net.expect_equal({made.back(), made[made.size() - 2]});
  }
}

/// Numbers without a dimension, as a training's rate, are no rows.
TEST(MadeKernels, ProductsOfNumbers) {
  test::FloatNet net(kSeed);
  net.expect_equal({net.binary(BinaryKind::kMultiply, net.input({}), net.input({}))});
}

TEST(MadeKernels, ChainIsOneLayer) {
  test::FloatNet net(kSeed);
  const TensorId gate = net.input({1, 176}), up = net.input({1, 176});
  const TensorId open = net.binary(BinaryKind::kMultiply, gate, net.sigmoid(gate));
  EXPECT_EQ(net.expect_equal({net.binary(BinaryKind::kMultiply, open, up)}), 1U);
}

class Rows : public testing::TestWithParam<Shape> {};

TEST_P(Rows, Softmax) {
  test::FloatNet net(kSeed);
  const TensorId x = net.input(GetParam());
  net.expect_equal({net.append(graph::Softmax{}, {x}, GetParam(), Arithmetic::kBlocks)});
  const TensorId sum = net.binary(BinaryKind::kAdd, x, net.input({GetParam().back()}));
  EXPECT_EQ(net.expect_equal({net.append(graph::Softmax{}, {sum}, GetParam(), Arithmetic::kBlocks)}), 1U);
}

TEST_P(Rows, MeanAndNormalization) {
  test::FloatNet net(kSeed);
  const TensorId x = net.input(GetParam());
  Shape kept = GetParam();
  kept.back() = 1;
  const graph::Reduce mean{graph::ReduceKind::kMean, {static_cast<int>(kept.size()) - 1}, true};
  net.expect_equal({net.append(mean, {x}, kept, Arithmetic::kBlocks)});
  const TensorId squares = net.append(mean, {net.binary(BinaryKind::kMultiply, x, x)}, kept, Arithmetic::kBlocks);
  const TensorId root =
      net.append(graph::Unary{graph::UnaryKind::kReciprocalSqrt},
                 {net.binary(BinaryKind::kAdd, squares, net.constant({1}, 0.1F, 0.2F))}, kept, Arithmetic::kBlocks);
  const TensorId scaled = net.binary(BinaryKind::kMultiply, x, root);
  EXPECT_EQ(net.expect_equal({net.binary(BinaryKind::kMultiply, scaled, net.constant({GetParam().back()}))}), 1U);
}

INSTANTIATE_TEST_SUITE_P(All, Rows,
                         testing::Values(Shape{1, 64}, Shape{8, 33}, Shape{3, 130}, Shape{9, 5}, Shape{2, 8, 65},
                                         Shape{1, 200}),
                         [](const auto& info) { return fmt::format("Shape{}", info.index); });

/// A product's result, its parts, what is computed of them, and a product again, without a move.
TEST(PartsInPlace, OfAProduct) {
  test::FloatNet net(kSeed);
  const TensorId y =
      net.append(graph::Dense{}, {net.input({1, 64}), net.constant({96, 64})}, {1, 96}, Arithmetic::kBlocks);
  const auto parts = net.split(y, {32, 64});
  const auto of_second = net.split(parts[1], {32, 32});
  const TensorId sum =
      net.binary(BinaryKind::kAdd, net.binary(BinaryKind::kMultiply, parts[0], of_second[1]), of_second[0]);
  const TensorId z = net.append(graph::Dense{}, {sum, net.constant({24, 32})}, {1, 24}, Arithmetic::kBlocks);
  EXPECT_EQ(net.expect_equal({z}), 5U) << "blocks, product, sum, blocks, product";
  net.expect_equal({z, parts[0], of_second[1]});
}

TEST(PartsInPlace, OfSeveralPositions) {
  test::FloatNet net(kSeed);
  const auto parts = net.split(net.input({5, 48}), {16, 32});
  net.expect_equal({net.append(graph::Dense{}, {parts[1], net.constant({24, 32})}, {5, 24}, Arithmetic::kBlocks),
                    net.sigmoid(parts[0])});
}

/// Operands that are brought together, as a cache and what is added to it.
TEST(PartsInPlace, OperandsOfAProduct) {
  for (const std::int64_t added : {1, 3}) {
    test::FloatNet net(kSeed);
    const TensorId cache = net.input({32, 16}), more = net.input({added, 16}), b = net.input({8, 16});
    const TensorId rows = net.append(graph::Concat{0}, {cache, more}, {32 + added, 16});
    const TensorId scores = net.append(graph::MatMul{false, true}, {rows, b}, {32 + added, 8}, Arithmetic::kBlocks);
    const TensorId turned = net.append(graph::Transpose{{1, 0}}, {scores}, {8, 32 + added});
    const TensorId columns =
        net.append(graph::Concat{1}, {net.input({16, 32}), net.input({16, added})}, {16, 32 + added});
    net.expect_equal({net.append(graph::MatMul{false, true}, {columns, turned}, {16, 8}, Arithmetic::kBlocks), scores});
  }
}

}  // namespace
}  // namespace systole::network
