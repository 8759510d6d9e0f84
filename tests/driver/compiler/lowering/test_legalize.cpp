// SPDX-License-Identifier: Apache-2.0
// Concatenation of inputs with different scales: results are unchanged, the graph stays valid. On devices:
// tests/cosim/shapes.
#include "simplify.hpp"

#include <gtest/gtest.h>

#include "systole/execute.hpp"

namespace systole::network {
namespace {

/// relu of x, named like an inserted conversion, concatenated with x; the result has another scale than x.
graph::Graph concatenation() {
  graph::Graph graph;
  const auto add = [&](const char* name, std::int64_t size, float scale) {
    graph::Tensor tensor;
    tensor.name = name;
    tensor.shape = {1, size};
    tensor.quantization = graph::Quantization{{scale}, {-3}, 0};
    graph.tensors.push_back(tensor);
    return static_cast<graph::TensorId>(graph.tensors.size() - 1);
  };
  const graph::TensorId x = add("x", 3, 0.1F), y = add("y", 3, 0.2F), both = add("both", 6, 0.2F);
  graph.inputs = {x};
  graph.outputs = {both};
  graph::Operator relu, concat;
  relu.name = "concat/part0";
  relu.kind = graph::Unary{graph::UnaryKind::kRelu, 0, 0};
  relu.inputs = {x};
  relu.outputs = {y};
  concat.name = "concat";
  concat.kind = graph::Concat{1};
  concat.inputs = {x, y};
  concat.outputs = {both};
  graph.operators = {relu, concat};
  graph::validate(graph);
  return graph;
}

TEST(Legalize, RequantizesPartsOfOtherScales) {
  const graph::Graph before = concatenation();
  graph::Graph after = before;
  legalize(after);
  EXPECT_NO_THROW(graph::validate(after)) << "names are unique, too";
  ASSERT_EQ(after.operators.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<graph::Convert>(after.operators[1].kind));
  const std::vector<graph::Value> inputs = {
      graph::make_value(graph::ElementType::kInt8, {1, 3}, std::vector<std::int8_t>{-128, 5, 127})};
  EXPECT_EQ(graph::execute(after, inputs).at(0).data, graph::execute(before, inputs).at(0).data);
}

TEST(Legalize, KeepsPartsOfSameScale) {
  graph::Graph graph = concatenation();
  graph.tensors[0].quantization->scale[0] = 0.2F;
  legalize(graph);
  EXPECT_EQ(graph.operators.size(), 2U);
}

}  // namespace
}  // namespace systole::network
