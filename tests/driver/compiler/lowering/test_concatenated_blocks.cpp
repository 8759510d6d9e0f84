// SPDX-License-Identifier: Apache-2.0
// Conversions to blocks read what is concatenated where it is, also if it is constant or transposed before. Equal to
// the host bit for bit, in all configurations.
#include <gtest/gtest.h>

#include "float_net.hpp"
#include "simplify.hpp"

namespace systole::network {
namespace {

using graph::Graph;
using graph::Shape;
using graph::TensorId;
using test::FloatNet;

constexpr std::uint32_t kSeed = 23'000;

/// A convolution in block floating point of some images.
TensorId convolved(FloatNet& net, TensorId images) {
  const Shape from = net.shape(images);
  return net.append(graph::Conv2d{Window{3, 3}}, {images, net.constant({20, 3, 3, from[3]})},
                    {from[0], from[1] - 2, from[2] - 2, 20}, graph::Arithmetic::kBlocks);
}

TEST(ConcatenatedBlocks, AreConvertedWhereTheyAre) {
  FloatNet net(kSeed);
  const TensorId a = net.input({7, 8, 9, 40}), b = net.input({2, 8, 9, 40});
  const TensorId ones = net.constant({1, 8, 9, 40});
  const TensorId all = net.append(graph::Concat{0}, {a, ones, b}, {10, 8, 9, 40});
  EXPECT_EQ(net.expect_equal({convolved(net, all)}), 2U) << "conversion, product";
}

TEST(ConcatenatedBlocks, BeginWithAConstant) {
  FloatNet net(kSeed);
  const TensorId a = net.input({7, 8, 9, 40}), first = net.constant({3, 8, 9, 40}, 0.5F, 1);
  const TensorId all = net.append(graph::Concat{0}, {first, a}, {10, 8, 9, 40});
  EXPECT_EQ(net.expect_equal({convolved(net, all)}), 2U);
}

TEST(ConcatenatedBlocks, AreMovedWhereOthersReadThem) {
  FloatNet net(kSeed);
  const TensorId a = net.input({7, 8, 9, 40}), ones = net.constant({1, 8, 9, 40});
  const TensorId all = net.append(graph::Concat{0}, {a, ones}, {8, 8, 9, 40});
  EXPECT_EQ(net.expect_equal({all, convolved(net, all)}), 2U) << "the move, and a product that converts its result";
}

/// Operators of a graph that was simplified, which computes the same.
std::vector<graph::OperatorKind> simplified(const Graph& before) {
  Graph graph = before;
  graph::split_transposes(graph);
  graph::fold_constants(graph, 1 << 20);
  graph::remove_unused(graph);
  graph::validate(graph);
  std::vector<graph::Value> inputs;
  float next = 1;
  for (const TensorId id : before.inputs) {
    std::vector<float> values(static_cast<std::size_t>(graph::count(before.tensor(id).shape)));
    for (float& value : values) {
      value = next++;
    }
    inputs.push_back(graph::make_value(graph::ElementType::kFloat32, before.tensor(id).shape, values));
  }
  EXPECT_EQ(graph::execute(graph, inputs)[0].data, graph::execute(before, inputs)[0].data);
  std::vector<graph::OperatorKind> kinds;
  for (const graph::Operator& op : graph.operators) {
    kinds.push_back(op.kind);
  }
  return kinds;
}

struct Concatenated {
  Concatenated()
      : net(kSeed),
        all(net.append(graph::Concat{3}, {net.input({6, 4, 5, 3}), net.constant({6, 4, 5, 1})}, {6, 4, 5, 4})) {}
  FloatNet net;
  TensorId all;
};

TEST(SplitTransposes, AreThoseOfTheParts) {
  Concatenated c;
  const auto kinds = simplified(c.net.graph({c.net.append(graph::Transpose{{3, 1, 2, 0}}, {c.all}, {4, 4, 5, 6})}));
  ASSERT_EQ(kinds.size(), 2U) << "that of the constant is folded";
  EXPECT_TRUE(std::holds_alternative<graph::Transpose>(kinds[0]));
  ASSERT_TRUE(std::holds_alternative<graph::Concat>(kinds[1]));
  EXPECT_EQ(std::get<graph::Concat>(kinds[1]).axis, 0);
}

TEST(SplitTransposes, LeaveOtherConcatenations) {
  Concatenated c;
  const auto is_last = [](const std::vector<graph::OperatorKind>& kinds) {
    return kinds.size() == 2 && std::holds_alternative<graph::Transpose>(kinds[1]);
  };
  const TensorId other = c.net.append(graph::Transpose{{1, 3, 2, 0}}, {c.all}, {4, 4, 5, 6});
  EXPECT_TRUE(is_last(simplified(c.net.graph({other})))) << "the parts are not along the first axis";
  Concatenated d;
  const TensorId turned = d.net.append(graph::Transpose{{3, 1, 2, 0}}, {d.all}, {4, 4, 5, 6});
  EXPECT_TRUE(is_last(simplified(d.net.graph({turned, d.all})))) << "the concatenation is a result";
}

}  // namespace
}  // namespace systole::network
