// SPDX-License-Identifier: Apache-2.0
// Boxes of bytes from operators that move elements: few boxes, and each byte where the host puts it. Random ones:
// tests/cosim/shapes.
#include "moves.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "infer.hpp"
#include "quantized_net.hpp"
#include "systole/execute.hpp"

namespace systole::network {
namespace {

using graph::Shape;

graph::Graph one_operator(graph::OperatorKind kind, const std::vector<Shape>& inputs, const Shape& output,
                          graph::ElementType type) {
  test::QuantizedNet net({{0.5F}, {3}, 0}, type);
  std::vector<graph::TensorId> ids;
  for (const Shape& shape : inputs) {
    ids.push_back(net.input(shape));
  }
  return net.finish({net.append(std::move(kind), std::move(ids), output)});
}

/// Moves bytes as the layer describes, uint8 as int8 that is 128 less.
graph::Bytes moved(const MoveLayer& layer, const std::vector<graph::Bytes>& inputs, std::size_t size, bool toggled) {
  graph::Bytes result(size, 0xEE);
  for (const MoveLayer::Part& part : layer.parts) {
    const compiler::ByteBox& box = part.box;
    for (std::int64_t o = 0; o < box.outer; ++o) {
      for (std::int64_t i = 0; i < box.inner; ++i) {
        for (std::int64_t b = 0; b < box.bytes; ++b) {
          const std::int64_t from = box.from + o * box.from_outer + i * box.from_inner + b;
          const std::int64_t to = box.to + o * box.to_outer + i * box.to_inner + b;
          const auto fill = static_cast<std::uint8_t>(box.fill.value_or(0) ^ (toggled ? 0x80 : 0));
          result.at(static_cast<std::size_t>(to)) =
              box.fill ? fill : inputs.at(static_cast<std::size_t>(part.input)).at(static_cast<std::size_t>(from));
        }
      }
    }
  }
  return result;
}

std::size_t boxes(graph::OperatorKind kind, const std::vector<Shape>& inputs, const Shape& output,
                  graph::ElementType type = graph::ElementType::kInt8) {
  const graph::Graph graph = one_operator(std::move(kind), inputs, output, type);
  std::vector<graph::Bytes> bytes;
  std::vector<graph::Value> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    bytes.emplace_back(static_cast<std::size_t>(graph::count(inputs[i])));
    std::iota(bytes.back().begin(), bytes.back().end(), static_cast<std::uint8_t>(i * 100));
    values.push_back({type, inputs[i], bytes.back()});
  }
  EXPECT_TRUE(only_moves(graph, graph.operators[0]));
  const MoveLayer layer = moves_of(graph, graph.operators[0], 0);
  const graph::Value expected = graph::execute(graph, values).at(0);
  EXPECT_EQ(moved(layer, bytes, expected.data.size(), type == graph::ElementType::kUint8), expected.data);
  return layer.parts.size();
}

TEST(Moves, AreFewBoxes) {
  EXPECT_EQ(boxes(graph::Concat{3}, {{1, 4, 5, 3}, {1, 4, 5, 6}}, {1, 4, 5, 9}), 2u) << "one for each part";
  EXPECT_EQ(boxes(graph::Transpose{{0, 3, 1, 2}}, {{1, 4, 5, 3}}, {1, 3, 4, 5}), 1u);
  EXPECT_EQ(boxes(graph::Slice{{0, 1, 1, 0}, {1, 2, 1, 1}}, {{1, 9, 5, 3}}, {1, 4, 2, 3}), 1u);
  EXPECT_EQ(boxes(graph::Slice{{0, 8, 0, 0}, {1, -1, 1, 1}}, {{1, 9, 5, 3}}, {1, 9, 5, 3}), 1u) << "backwards";
  EXPECT_LE(boxes(graph::ResizeNearest{}, {{1, 4, 5, 3}}, {1, 8, 10, 3}), 24u)
      << "of a line of results three: the ends and all between";
}

TEST(Moves, FillPadding) {
  graph::Pad pad{{0, 1, 1, 0}, {0, 1, 1, 0}, graph::Pad::Mode::kConstant, -2.5};
  EXPECT_LE(boxes(pad, {{1, 4, 5, 3}}, {1, 6, 7, 3}), 4u) << "above, the sides together, below, and the image";
  EXPECT_LE(boxes(pad, {{1, 4, 5, 3}}, {1, 6, 7, 3}, graph::ElementType::kUint8), 4u);
}

TEST(Moves, ExcludeComputation) {
  graph::Graph graph = one_operator(graph::Concat{0}, {{2, 3}, {1, 3}}, {3, 3}, graph::ElementType::kInt8);
  EXPECT_TRUE(only_moves(graph, graph.operators[0]));
  graph.tensors[1].quantization->scale[0] = 0.25F;
  EXPECT_FALSE(only_moves(graph, graph.operators[0])) << "a part of another scale is converted";
  graph.operators[0].kind = graph::Reshape{};
  EXPECT_FALSE(only_moves(graph, graph.operators[0])) << "which the device does without boxes";
}

/// Moves by the sources of bytes are the same moves.
TEST(Moves, FollowFromTheSourcesOfBytes) {
  const std::vector<int> order = {2, 0, 3, 1};
  const graph::Graph graph =
      one_operator(graph::Transpose{order}, {{3, 4, 5, 6}}, {5, 3, 6, 4}, graph::ElementType::kInt8);
  const MoveLayer moves = moves_of(graph, graph.operators[0], 0);
  const auto sources = byte_sources(moves, 360);
  ASSERT_TRUE(sources);
  graph::Bytes bytes(360);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  EXPECT_EQ(moved(moves_from(*sources), {bytes}, 360, false), moved(moves, {bytes}, 360, false));
}

TEST(Moves, HaveNoSourcesWhereBytesAreFilled) {
  const graph::Pad pad{{0, 1, 1, 0}, {0, 1, 1, 0}, graph::Pad::Mode::kConstant, -2.5};
  const graph::Graph graph = one_operator(pad, {{1, 4, 5, 3}}, {1, 6, 7, 3}, graph::ElementType::kInt8);
  EXPECT_FALSE(byte_sources(moves_of(graph, graph.operators[0], 0), 126));
}

}  // namespace
}  // namespace systole::network
