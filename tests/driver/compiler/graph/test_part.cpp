// SPDX-License-Identifier: Apache-2.0
// Parts of a network as networks: run one after another they give the result of the whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "network_builder.hpp"
#include "part.hpp"
#include "systole/execute.hpp"

namespace systole::graph {
namespace {

using zoo::Border;

/// Operators: 0 conv, 1 conv, 2 add of both, 3 dense.
Graph residual() {
  zoo::NetworkBuilder net("residual", 1);
  const TensorId x = net.conv(net.input({1, 5, 5, 2}), 4, 3, 1, Border::kSame, Activation::kRelu);
  const TensorId y = net.conv(x, 4, 1, 1, Border::kSame, Activation::kNone);
  return net.finish(net.dense(net.flatten(net.add(x, y, Activation::kNone)), 3, Activation::kNone));
}

std::vector<Value> input_of(const Graph& graph) {
  Value value{ElementType::kInt8, graph.tensor(graph.inputs[0]).shape, Bytes(50)};
  for (std::size_t i = 0; i < value.data.size(); ++i) {
    value.data[i] = static_cast<std::uint8_t>(i * 37);
  }
  return {value};
}

TEST(Parts, InSequenceMatchWhole) {
  const Graph graph = residual();
  const std::vector<Value> inputs = input_of(graph);
  const std::vector<Value> expected = execute(graph, inputs);
  for (std::size_t cut = 1; cut < graph.operators.size(); ++cut) {
    std::map<TensorId, Value> values = {{graph.inputs[0], inputs[0]}};
    for (const auto& [begin, end] : {std::pair{std::size_t{0}, cut}, std::pair{cut, graph.operators.size()}}) {
      const Part part = part_of(graph, begin, end);
      EXPECT_NO_THROW(validate(part.graph));
      EXPECT_EQ(part.graph.operators.size(), end - begin);
      std::vector<Value> taken;
      for (const TensorId id : part.inputs) {
        taken.push_back(values.at(id));
      }
      const std::vector<Value> made = execute(part.graph, taken);
      for (std::size_t i = 0; i < made.size(); ++i) {
        values[part.outputs[i]] = made[i];
      }
    }
    EXPECT_EQ(values.at(graph.outputs[0]).data, expected[0].data) << "cut before operator " << cut;
  }
}

TEST(Parts, InputsAndOutputsCrossCut) {
  const Graph graph = residual();
  const Part first = part_of(graph, 0, 2);
  EXPECT_THAT(first.inputs, testing::ElementsAre(graph.inputs[0]));
  EXPECT_THAT(first.outputs,
              testing::UnorderedElementsAre(graph.operators[0].outputs[0], graph.operators[1].outputs[0]))
      << "the second convolution takes the first's result, and so does the sum behind the cut";
  const Part second = part_of(graph, 2, graph.operators.size());
  EXPECT_THAT(second.inputs, testing::UnorderedElementsAreArray(first.outputs));
  EXPECT_THAT(second.outputs, testing::ElementsAreArray(graph.outputs));
}

TEST(Parts, HaveNoUnusedTensors) {
  const Graph graph = residual();
  const Part part = part_of(graph, 1, 2);
  EXPECT_EQ(part.graph.tensors.size(), part.graph.operators[0].inputs.size() + 1);
}

TEST(Parts, RejectInvalidRanges) {
  const Graph graph = residual();
  EXPECT_THROW(part_of(graph, 1, 1), GraphError);
  EXPECT_THROW(part_of(graph, 0, graph.operators.size() + 1), GraphError);
  Graph unused = graph;
  unused.outputs = {graph.operators[0].outputs[0]};
  EXPECT_THROW(part_of(unused, graph.operators.size() - 1, graph.operators.size()), GraphError);
}

}  // namespace
}  // namespace systole::graph
