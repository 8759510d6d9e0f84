// SPDX-License-Identifier: Apache-2.0
// Graph validation: each rule rejects a violation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator_graph.hpp"

namespace systole::graph::test {
namespace {

std::string complaint(const Graph& graph) {
  try {
    validate(graph);
    return "nothing";
  } catch (const GraphError& error) {
    return error.what();
  }
}

using testing::HasSubstr;

Graph relu() { return one_operator(Unary{}, {tensor({4})}, {tensor({4})}); }

TEST(Validate, AcceptsValidGraph) { EXPECT_EQ(complaint(relu()), "nothing"); }

TEST(Validate, IdsNamesAndOrder) {
  Graph graph = relu();
  graph.operators[0].inputs = {7};
  EXPECT_THAT(complaint(graph), HasSubstr("operator 'op' (Unary): tensor id 7; the range is 0 .. 1"));
  graph.operators[0].inputs = {kNoTensor};
  EXPECT_THAT(complaint(graph), HasSubstr("tensor id -1"));
  graph = relu();
  graph.operators[0].outputs = {0};
  EXPECT_THAT(complaint(graph), HasSubstr("tensor 't0' (4 float32) is produced twice"));
  graph = relu();
  graph.operators[0].inputs = {1};
  EXPECT_THAT(complaint(graph), HasSubstr("tensor 't1' (4 float32) is used before it is produced"));
  graph = relu();
  graph.operators.push_back(graph.operators[0]);
  EXPECT_THAT(complaint(graph), HasSubstr("unique in the graph"));
  graph = relu();
  graph.operators[0].name.clear();
  EXPECT_THAT(complaint(graph), HasSubstr("must not be empty"));
  graph = relu();
  graph.inputs.clear();
  EXPECT_THAT(complaint(graph), HasSubstr("is used before it is produced"));
  graph = relu();
  graph.inputs = {0, 0};
  EXPECT_THAT(complaint(graph), HasSubstr("the inputs of the graph: tensor 't0' (4 float32) is produced twice"));
  graph = relu();
  graph.outputs = {9};
  EXPECT_THAT(complaint(graph), HasSubstr("the outputs of the graph: tensor id 9"));
  graph.outputs.clear();
  EXPECT_THAT(complaint(graph), HasSubstr("no outputs"));
  graph = relu();
  graph.operators[0].outputs.clear();
  EXPECT_THAT(complaint(graph), HasSubstr("0 outputs; expected one"));
}

TEST(Validate, ShapesAndConstants) {
  Graph graph = relu();
  graph.tensor(1).shape = {5};
  EXPECT_THAT(complaint(graph), HasSubstr("tensor 't1' (5 float32): expected shape 4, from its inputs"));
  graph.tensor(1).shape = {-5};
  EXPECT_THAT(complaint(graph), HasSubstr("tensor 't1': shape -5 has a dimension of -5"));
  graph.tensor(1).shape = {kMaxTensorBytes};
  EXPECT_THAT(complaint(graph), HasSubstr("larger than 2147483647 bytes"));
  graph = one_operator(Binary{}, {tensor({4}), constant(tensor({4}), std::vector<float>(3))}, {tensor({4})});
  EXPECT_THAT(complaint(graph), HasSubstr("the constant has 12 bytes; its shape needs 16"));
}

TEST(Validate, TensorsWithoutElementsAreConstantResults) {
  Graph graph = relu();
  graph.tensors.push_back(constant(tensor({3, 0}), std::vector<float>{}));
  graph.outputs.push_back(2);
  EXPECT_EQ(complaint(graph), "nothing");
  EXPECT_EQ(execute(graph, {make_value(ElementType::kFloat32, {4}, std::vector<float>(4))}).at(1).shape, (Shape{3, 0}));
  graph.operators[0].inputs = {2};
  EXPECT_THAT(complaint(graph), HasSubstr("has no elements; expected at least one"));
  graph = relu();
  graph.tensors[1].shape = {0};
  EXPECT_THAT(complaint(graph), HasSubstr("every dimension must be at least 1, except in constants and inputs"));
  graph = relu();
  graph.tensors[0].shape = {0};
  EXPECT_THAT(complaint(graph), HasSubstr("has no elements; expected at least one"));
  graph = relu();
  graph.tensors.push_back(tensor({2, 0}));  // an input that no operator takes
  graph.inputs.push_back(2);
  EXPECT_EQ(complaint(graph), "nothing");
}

/// Looking for each tensor among all inputs would take minutes.
TEST(Validate, ManyInputs) {
  Graph graph = relu();
  constexpr int kInputs = 1'000'000;
  graph.tensors.resize(graph.tensors.size() + kInputs, tensor({1}));
  for (TensorId id = 2; id < 2 + kInputs; ++id) {
    graph.inputs.push_back(id);
  }
  EXPECT_EQ(complaint(graph), "nothing");
}

/// A sum of everything so far: t0 is a sample, t1 the sum before and t2 after it.
Graph running_sum() {
  Graph graph = one_operator(Binary{BinaryKind::kAdd}, {tensor({2}), tensor({2})}, {tensor({2})});
  graph.outputs = {2, 2};
  graph.states = {std::make_shared<const Bytes>(2 * sizeof(float))};
  return graph;
}

TEST(Validate, States) {
  EXPECT_EQ(complaint(running_sum()), "nothing");
  Graph graph = running_sum();
  graph.outputs.pop_back();
  EXPECT_THAT(complaint(graph), HasSubstr("1 states, 2 inputs and 1 outputs"));
  graph = running_sum();
  graph.outputs.assign(4, 2);
  graph.states.assign(3, graph.states[0]);
  EXPECT_THAT(complaint(graph), HasSubstr("3 states, 2 inputs and 4 outputs"));
  for (const auto& begins : {std::shared_ptr<const Bytes>(), std::make_shared<const Bytes>(7)}) {
    graph = running_sum();
    graph.states = {begins};
    EXPECT_THAT(complaint(graph), HasSubstr("begins with"));
    EXPECT_THAT(complaint(graph), HasSubstr("its shape needs 8"));
  }
  graph = one_operator(Reshape{}, {quantized({4}, 0.5F, 3)}, {quantized({4}, 0.5F, 3)});
  graph.states = {std::make_shared<const Bytes>(4)};
  graph.outputs = {1, 1};
  EXPECT_EQ(complaint(graph), "nothing");
  for (Tensor other : {quantized({4}, 0.5F, 2), tensor({4}), quantized({2, 2}, 0.5F, 3)}) {
    other.constant = std::make_shared<const Bytes>(4 * element_size(other.type));
    graph.tensors.push_back(other);
    graph.outputs = {1, static_cast<TensorId>(graph.tensors.size() - 1)};
    EXPECT_THAT(complaint(graph), HasSubstr("both need the same shape, type and quantization"));
  }
}

TEST(Validate, TypesOfArithmetic) {
  EXPECT_THAT(complaint(one_operator(Unary{}, {tensor({4})}, {tensor({4}, ElementType::kInt32)})),
              HasSubstr("must have the same element type"));
  EXPECT_THAT(
      complaint(one_operator(Unary{}, {tensor({4}, ElementType::kUint16)}, {tensor({4}, ElementType::kUint16)})),
      HasSubstr("must be int8, uint8, int16, int32, int64 or float32"));
  EXPECT_THAT(complaint(one_operator(Unary{}, {quantized({4}, 1, 0)}, {tensor({4}, ElementType::kInt8)})),
              HasSubstr("integers need a scale and a zero point"));
  EXPECT_THAT(complaint(one_operator(Binary{BinaryKind::kPower}, {quantized({4}, 1, 0), quantized({4}, 1, 0)},
                                     {quantized({4}, 1, 0)})),
              HasSubstr("must be float32"));
  EXPECT_THAT(complaint(one_operator(Binary{BinaryKind::kMaximum}, {quantized({4}, 1, 0), quantized({4}, 1, 1)},
                                     {quantized({4}, 1, 0)})),
              HasSubstr("both must have the same quantization"));
}

TEST(Validate, CopiesKeepTheirQuantization) {
  const auto reshaped = [](float scale, std::int32_t zero_point) {
    return complaint(one_operator(Reshape{}, {quantized({4}, 0.5F, 3)}, {quantized({2, 2}, scale, zero_point)}));
  };
  EXPECT_EQ(reshaped(0.5F, 3), "nothing");
  EXPECT_EQ(reshaped(0.500001F, 3), "nothing");
  EXPECT_THAT(reshaped(0.51F, 3),
              HasSubstr("has scale 0.5, zero point 3, tensor 't1' (2x2 int8) has scale 0.51, zero point 3"));
  EXPECT_THAT(reshaped(0.5F, 2), HasSubstr("does not convert elements"));
  EXPECT_EQ(
      complaint(one_operator(Reshape{}, {tensor({4}, ElementType::kInt64)}, {tensor({2, 2}, ElementType::kInt64)})),
      "nothing");
}

TEST(Validate, TypesOfWeightedOperators) {
  const auto dense = [](const Tensor& input, const Tensor& weights, const Tensor& bias, const Tensor& output) {
    return complaint(one_operator(Dense{}, {input, weights, bias}, {output}));
  };
  const Tensor bias = tensor({2}, ElementType::kInt32);
  const Tensor weights = quantized({2, 3}, 0.1F, 0);
  EXPECT_EQ(dense(quantized({1, 3}, 1, 0), weights, bias, quantized({1, 2}, 1, 0)), "nothing");
  EXPECT_EQ(dense(quantized({1, 3}, 1, 0), weights, bias, tensor({1, 2}, ElementType::kInt32)), "nothing");
  EXPECT_THAT(dense(tensor({1, 3}), weights, bias, tensor({1, 2})),
              HasSubstr("(hybrid quantization) are not supported: convert"));
  EXPECT_THAT(dense(tensor({1, 3}, ElementType::kUint16), weights, bias, quantized({1, 2}, 1, 0)),
              HasSubstr("must both be int8 or uint8"));
  EXPECT_THAT(dense(quantized({1, 3}, 1, 0), weights, tensor({2}, ElementType::kInt64), quantized({1, 2}, 1, 0)),
              HasSubstr("must be int32"));
  EXPECT_THAT(dense(quantized({1, 3}, 1, 0), weights, bias, tensor({1, 2})), HasSubstr("or int32 without one"));
  EXPECT_THAT(dense(quantized({1, 3}, 1, 0), tensor({2, 3}, ElementType::kInt8), bias, quantized({1, 2}, 1, 0)),
              HasSubstr("weights need scales"));
  Tensor across = weights;
  across.quantization = Quantization{{1, 1, 1}, {0, 0, 0}, 1};
  EXPECT_THAT(dense(quantized({1, 3}, 1, 0), across, bias, quantized({1, 2}, 1, 0)),
              HasSubstr("scales must be per output channel"));
}

TEST(Validate, ConversionsNeedScales) {
  EXPECT_EQ(complaint(one_operator(Convert{}, {tensor({4})}, {quantized({4}, 1, 0)})), "nothing");
  EXPECT_THAT(complaint(one_operator(Convert{}, {tensor({4})}, {tensor({4}, ElementType::kInt8)})),
              HasSubstr("between floating-point and integer"));
}

}  // namespace
}  // namespace systole::graph::test
