// SPDX-License-Identifier: Apache-2.0
// Who makes and who reads a tensor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_builder.hpp"
#include "indexed_graph.hpp"

namespace systole::graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(IndexedGraph, MakersReadersAndOutputs) {
  GraphBuilder net("squares");
  const TensorId x = net.input("x", ElementType::kFloat32, {2, 4});
  const TensorId square = net.multiply(x, x);
  const std::vector<TensorId> parts = net.split(square, 1, {1, 3});
  const TensorId sum = net.add(parts[0], parts[1]);
  Graph graph = net.finish({sum, parts[1]});
  IndexedGraph indexed(graph);
  EXPECT_EQ(indexed.maker(x), nullptr);
  EXPECT_EQ(indexed.maker(square), &graph.operators[0]);
  EXPECT_EQ(indexed.place_of_maker(parts[1]), 1U);
  EXPECT_EQ(indexed.maker_of_kind<Split>(parts[0]), &graph.operators[1]);
  EXPECT_EQ(indexed.maker_of_kind<Concat>(parts[0]), nullptr);
  EXPECT_THAT(indexed.readers(x), ElementsAre(0, 0)) << "once per use";
  EXPECT_THAT(indexed.readers(parts[1]), ElementsAre(2));
  EXPECT_TRUE(indexed.has_one_reader(square));
  EXPECT_FALSE(indexed.has_one_reader(parts[1])) << "an output, too";
  EXPECT_TRUE(indexed.is_output(sum));
  EXPECT_EQ(indexed.uses(parts[1]), 2U);

  const TensorId more = add_tensor(graph, graph.tensor(sum));
  graph.operators.push_back({"more", "Unary", Unary{UnaryKind::kAbs}, Arithmetic::kOnnx, {square}, {more}});
  EXPECT_EQ(indexed.maker(more), nullptr) << "not before update()";
  EXPECT_THAT(indexed.readers(more), IsEmpty());
  indexed.update();
  EXPECT_EQ(indexed.place_of_maker(more), 3U);
  EXPECT_THAT(indexed.readers(square), ElementsAre(1, 3));
}

}  // namespace
}  // namespace systole::graph
