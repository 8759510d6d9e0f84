// SPDX-License-Identifier: Apache-2.0
// Bounds of computed integers.
#include "integer_range.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "graph_builder.hpp"

namespace systole::graph {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min(),
                       kMost = std::numeric_limits<std::int32_t>::max();

class Ranges : public testing::Test {
 protected:
  TensorId between(std::int64_t least, std::int64_t most) {
    const TensorId x = net_.input("x" + std::to_string(inputs_++), ElementType::kInt32, {3});
    return net_.binary(BinaryKind::kMinimum, net_.binary(BinaryKind::kMaximum, x, number(least)), number(most));
  }
  TensorId number(std::int64_t value) {
    return net_.constant(make_value(ElementType::kInt32, {1}, std::vector<std::int32_t>{static_cast<int>(value)}));
  }
  void expect(TensorId id, std::int64_t least, std::int64_t most) {
    const IndexedGraph graph(net_.graph());
    const IntegerRange range = IntegerRanges(graph).of(id);
    EXPECT_EQ(range.least, least);
    EXPECT_EQ(range.most, most);
  }

  GraphBuilder net_{"net"};
  int inputs_ = 0;
};

TEST_F(Ranges, AnInputIsAnything) { expect(net_.input("x", ElementType::kInt32, {2}), kLeast, kMost); }

TEST_F(Ranges, LimitsOfBothSides) { expect(between(-3, 5), -3, 5); }

TEST_F(Ranges, Arithmetic) {
  const TensorId a = between(-3, 5), b = between(2, 7);
  expect(net_.add(a, b), -1, 12);
  expect(net_.subtract(a, b), -10, 3);
  expect(net_.multiply(a, b), -21, 35);
  expect(net_.multiply(a, number(-2)), -10, 6);
}

TEST_F(Ranges, WhatMayWrapIsAnything) {
  expect(net_.add(between(0, kMost), between(0, 1)), kLeast, kMost);
  expect(net_.multiply(between(0, 1 << 16), between(0, 1 << 16)), kLeast, kMost);
}

TEST_F(Ranges, MovesAndChoices) {
  const TensorId a = between(-3, 5), b = between(2, 7);
  expect(net_.reshape(net_.concat({a, b}, 0), {2, 3}), -3, 7);
  expect(net_.select(net_.less(a, b), b, number(9)), 2, 9);
  expect(net_.reduce(ReduceKind::kMax, a, {0}), -3, 5);
  expect(net_.reduce(ReduceKind::kSum, a, {0}), kLeast, kMost);
}

TEST_F(Ranges, Conversions) {
  expect(net_.append(Convert{}, {between(-3, 5)}, ElementType::kInt8), -3, 5);
  expect(net_.append(Convert{}, {between(-3, 500)}, ElementType::kInt8), -128, 127);
  expect(net_.append(Convert{}, {net_.input("x", ElementType::kFloat32, {2})}, ElementType::kInt32), kLeast, kMost);
  expect(net_.append(Convert{}, {net_.input("y", ElementType::kBool, {2})}, ElementType::kInt32), 0, 1);
}

TEST_F(Ranges, Positions) {
  const TensorId x = net_.input("x", ElementType::kFloat32, {4, 6});
  expect(net_.append(ArgExtreme{true, 1}, {x}, ElementType::kInt64), 0, 5);
  const TensorId indices = net_.input("i", ElementType::kInt64, {5, 2});
  expect(net_.append(FlatIndex{{4, 6}}, {indices}, ElementType::kInt64), 0, 23);
}

}  // namespace
}  // namespace systole::graph
