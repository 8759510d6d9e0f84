// SPDX-License-Identifier: Apache-2.0
// Graphs written to a file and read back.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "graph_listing.hpp"
#include "random_graph.hpp"
#include "seed.hpp"
#include "systole/container.hpp"
#include "systole/zoo.hpp"

namespace systole::container {
namespace {

void expect_same(const graph::Graph& a, const graph::Graph& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(graph::to_json(a), graph::to_json(b));  // names, kinds, parameters, shapes, types, scales
  ASSERT_EQ(a.states.size(), b.states.size());
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    EXPECT_EQ(*a.states[i], *b.states[i]);
  }
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    ASSERT_EQ(a.tensors[i].constant != nullptr, b.tensors[i].constant != nullptr);
    if (a.tensors[i].constant) {
      EXPECT_EQ(*a.tensors[i].constant, *b.tensors[i].constant);
    }
  }
}

TEST(Graphs, RoundTripNetworkZoo) {
  for (const std::string& name : zoo::names()) {
    const graph::Graph graph = zoo::network(name, 3);
    const graph::Bytes file = save(graph);
    EXPECT_TRUE(is_container(file));
    const Container contents(file);
    EXPECT_FALSE(contents.compiled());
    EXPECT_EQ(contents.configuration(), "");
    expect_same(graph, contents.graph());
  }
}

TEST(Graphs, RoundTripEveryKind) {
  const std::uint64_t seed = test::seed();
  std::set<std::size_t> kinds;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const graph::Graph graph = test::random_graph(seed + i, 12);
    graph::validate(graph);
    const graph::Bytes file = save(graph);
    const graph::Graph found = Container(file).graph();
    expect_same(graph, found);
    EXPECT_EQ(file, save(found));
    for (const graph::Operator& op : graph.operators) {
      kinds.insert(op.kind.index());
    }
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<graph::OperatorKind>);
}

/// A tensor that is an input, and also an output and the state after a run.
graph::Graph stateful_graph() {
  graph::Graph graph = test::random_graph(1, 2);
  graph.inputs.push_back(static_cast<graph::TensorId>(graph.tensors.size()));
  graph.tensors.push_back({"state", graph::ElementType::kInt32, {3}, {}, nullptr});
  graph.outputs.push_back(graph.inputs.back());
  graph.states = {std::make_shared<const graph::Bytes>(graph::Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})};
  return graph;
}

TEST(Graphs, HaveStates) {
  graph::Graph graph = stateful_graph();
  expect_same(graph, Container(save(graph)).graph());
  graph.states = {nullptr};
  try {
    Container(save(graph)).graph();
    ADD_FAILURE();
  } catch (const ContainerError& error) {
    EXPECT_NE(std::string(error.what()).find("a state begins with constant -1"), std::string::npos) << error.what();
  }
}

TEST(Graphs, HaveANumberOfSamples) {
  const graph::Graph graph = zoo::ad(1);
  EXPECT_EQ(Container(save(graph)).batch(), 1);
  try {
    Container(save(graph, 4)).batch();
    FAIL() << "4 samples on an axis of 1";
  } catch (const ContainerError& error) {
    EXPECT_NE(std::string(error.what()).find("a batch of 4, which does not divide"), std::string::npos) << error.what();
  }
  EXPECT_THROW(Container(save(graph, 0)).batch(), ContainerError);
}

TEST(Graphs, ShareConstants) {
  graph::Graph graph = test::random_graph(1, 1);
  const auto bytes = std::make_shared<const graph::Bytes>(1'000'000);
  for (int i = 0; i < 10; ++i) {
    graph.tensors.push_back({"twin", graph::ElementType::kInt8, {1'000'000}, std::nullopt, bytes});
  }
  const graph::Bytes file = save(graph);
  EXPECT_LT(file.size(), 1'100'000u);
  const graph::Graph found = Container(file).graph();
  EXPECT_EQ(found.tensors.back().constant, found.tensors[found.tensors.size() - 2].constant);
}

}  // namespace
}  // namespace systole::container
