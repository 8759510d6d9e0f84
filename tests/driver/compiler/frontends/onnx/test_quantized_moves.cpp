// SPDX-License-Identifier: Apache-2.0
// Convolutions with moves between them and their conversions are the quantized operators, and compute what they compute
// with the moves outside. What stays in float32 is listed with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "onnx_builder.hpp"
#include "onnx_float_products.hpp"
#include "onnx_quantized_moves.hpp"

namespace systole::graph::test {
namespace {

using Shape = std::vector<std::int64_t>;

/// Appends nodes behind a tensor; returns the last one's result.
using Nodes = std::function<std::string(OnnxBuilder&, const std::string&)>;

std::string nothing(OnnxBuilder&, const std::string& x) { return x; }

/// A node with constant int64 operands.
Nodes node(const char* type, const std::vector<std::vector<std::int64_t>>& operands = {},
           const std::function<void(onnx::NodeProto&)>& attributes = {}) {
  return [=](OnnxBuilder& b, const std::string& x) {
    std::vector<std::string> inputs{x};
    for (std::size_t i = 0; i < operands.size(); ++i) {
      inputs.push_back(x + "/" + type + std::to_string(i));
      b.constant<std::int64_t>(inputs.back(), {static_cast<std::int64_t>(operands[i].size())}, operands[i]);
    }
    onnx::NodeProto& made = b.node(type, inputs, x + "/" + type);
    if (attributes) {
      attributes(made);
    }
    return x + "/" + type;
  };
}

Nodes transposed(const Shape& permutation) {
  return node("Transpose", {}, [=](onnx::NodeProto& n) { set_ints(n, "perm", permutation); });
}

Nodes then(const Nodes& first, const Nodes& second) {
  return [=](OnnxBuilder& b, const std::string& x) { return second(b, first(b, x)); };
}

std::string beside_itself(OnnxBuilder& b, const std::string& x) {
  set_int(b.node("Concat", {x, x}, x + "/twice"), "axis", 1);
  return x + "/twice";
}

std::string quantized(OnnxBuilder& b, const std::string& x, const std::string& scale) {
  b.node("QuantizeLinear", {x, scale, "z"}, x + "/q");
  b.node("DequantizeLinear", {x + "/q", scale, "z"}, x + "/r");
  return x + "/r";
}

/// A quantized convolution with what is before and behind it, inside of the conversions or outside.
Graph convolution(const Shape& input, const Shape& weights, const Nodes& before, const Nodes& behind, bool inside) {
  OnnxBuilder b;
  b.input("x", input).constant<float>("s", {}, {0.5F}).constant<std::int8_t>("z", {}, {3});
  b.constant<float>("ys", {}, {4.0F});
  std::int64_t count = 1;
  for (const std::int64_t size : weights) {
    count *= size;
  }
  const auto outputs = static_cast<std::size_t>(weights[0]);
  b.constant<std::int8_t>("w", weights, some<std::int8_t>(static_cast<std::size_t>(count), 7));
  b.constant<float>("ws", {weights[0]}, std::vector<float>(outputs, 0.25F));
  b.constant<std::int8_t>("wz", {weights[0]}, std::vector<std::int8_t>(outputs));
  b.constant<float>("bias", {weights[0]}, std::vector<float>(outputs, 2));
  set_int(b.node("DequantizeLinear", {"w", "ws", "wz"}, "wr"), "axis", 0);
  const std::string x = inside ? before(b, quantized(b, "x", "s")) : quantized(b, before(b, "x"), "s");
  b.node("Conv", {x, "wr", "bias"}, "c");
  const std::string y = inside ? quantized(b, behind(b, "c"), "ys") : behind(b, quantized(b, "c", "ys"));
  b.output(y);
  return b.import();
}

std::size_t convolutions(const Graph& graph, ElementType type) {
  return static_cast<std::size_t>(
      std::count_if(graph.operators.begin(), graph.operators.end(), [&](const Operator& op) {
        return std::holds_alternative<Conv2d>(op.kind) && graph.tensor(op.outputs[0]).type == type;
      }));
}

struct Case {
  const char* name;
  Shape input, weights;
  Nodes before, behind;
};

std::vector<Case> cases() {
  const auto relu = node("Relu");
  return {
      {"of one dimension", {1, 5, 20}, {6, 5, 3}, nothing, nothing},
      {"of one dimension with a rectifier", {1, 5, 20}, {6, 5, 3}, nothing, relu},
      {"behind Unsqueeze", {5, 4, 6}, {3, 5, 2, 2}, node("Unsqueeze", {{0}}), nothing},
      {"before Squeeze", {1, 5, 4, 6}, {3, 5, 2, 2}, nothing, node("Squeeze", {{0}})},
      {"behind Reshape", {1, 5, 24}, {3, 5, 2, 2}, node("Reshape", {{1, 5, 4, 6}}), nothing},
      {"before Reshape", {1, 5, 4, 6}, {3, 5, 2, 2}, nothing, node("Reshape", {{3, 15}})},
      {"before a rectifier and Reshape", {1, 5, 4, 6}, {3, 5, 2, 2}, nothing, then(relu, node("Reshape", {{3, 15}}))},
      {"before Reshape and a rectifier", {1, 5, 4, 6}, {3, 5, 2, 2}, nothing, then(node("Reshape", {{3, 15}}), relu)},
      {"behind Transpose", {1, 4, 6, 5}, {3, 5, 2, 2}, transposed({0, 3, 1, 2}), nothing},
      {"before Transpose", {1, 5, 4, 6}, {3, 5, 2, 2}, nothing, transposed({1, 3, 0, 2})},
      {"behind Pad", {1, 5, 4, 6}, {3, 5, 2, 2}, node("Pad", {{0, 0, 1, 0, 0, 0, 0, 2}}), nothing},
      {"before Pad", {1, 5, 4, 6}, {3, 5, 2, 2}, nothing, node("Pad", {{0, 0, 1, 0, 0, 0, 0, 2}})},
      {"behind Slice", {1, 5, 8, 6}, {3, 5, 2, 2}, node("Slice", {{1}, {7}, {2}, {2}}), nothing},
      {"behind Gather",
       {1, 8, 4, 6},
       {3, 5, 2, 2},
       node("Gather", {{0, 2, 4, 6, 7}}, [](onnx::NodeProto& n) { set_int(n, "axis", 1); }),
       nothing},
      {"behind Concat", {1, 5, 4, 6}, {3, 10, 2, 2}, beside_itself, nothing},
      {"behind several",
       {5, 24},
       {3, 5, 2, 2},
       then(node("Reshape", {{5, 6, 4}}), then(transposed({0, 2, 1}), node("Unsqueeze", {{0}}))),
       nothing},
  };
}

TEST(QuantizedMoves, AreOutsideOfConvolutions) {
  for (const Case& c : cases()) {
    const Graph inside = convolution(c.input, c.weights, c.before, c.behind, true);
    EXPECT_EQ(convolutions(inside, ElementType::kInt8), 1U) << c.name;
    EXPECT_EQ(convolutions(inside, ElementType::kFloat32), 0U) << c.name;
    const Graph outside = convolution(c.input, c.weights, c.before, c.behind, false);
    EXPECT_EQ(convolutions(outside, ElementType::kInt8), 1U) << c.name;
    std::vector<float> values = some<float>(static_cast<std::size_t>(count(c.input)));
    std::transform(values.begin(), values.end(), values.begin(), [](float value) { return 60 * value; });
    const std::vector<Value> x{make_value(ElementType::kFloat32, c.input, values)};
    EXPECT_EQ(elements<float>(execute(inside, x)[0]), elements<float>(execute(outside, x)[0])) << c.name;
  }
}

/// A float32 product such as 3 * 0.1 is a step although 0.3 / 0.1 is no integer in double precision.
TEST(QuantizedMoves, PadWithAStepOfEveryScale) {
  const auto stays = [](const std::vector<float>& scales, double value) {
    const Tensor from{
        "x", ElementType::kInt8, {2, 3}, Quantization{scales, std::vector<std::int32_t>(scales.size()), 0}, nullptr};
    Pad pad;
    pad.before = {0, 1};
    pad.after = {0, 0};
    pad.value = value;
    Operator op;
    op.kind = pad;
    return onnx_file::moved_quantization(op, from, {2, 4}).has_value();
  };
  EXPECT_TRUE(stays({0.1F}, 0.3F));
  EXPECT_FALSE(stays({0.1F}, 0.25));
  EXPECT_FALSE(stays({0.1F}, 12.8F)) << "128 is beyond int8";
  EXPECT_FALSE(stays({0.1F}, -0.0));
  EXPECT_TRUE(stays({0.1F, 0.5F}, 0));
  EXPECT_TRUE(stays({0.1F, 0.5F}, 0.5F));
  EXPECT_FALSE(stays({0.1F, 0.5F}, 0.3F)) << "it is a step of the first scale alone";
}

/// Padding with what is no step of the scale, and a result that others read, stay in float32.
TEST(QuantizedMoves, OnlyWhereNothingChanges) {
  const auto halves = [](OnnxBuilder& b, const std::string& x) {
    b.constant<std::int64_t>("pads", {8}, {0, 0, 1, 0, 0, 0, 0, 0}).constant<float>("third", {}, {1.0F / 3});
    b.node("Pad", {x, "pads", "third"}, "padded");
    return std::string("padded");
  };
  const Graph graph = convolution({1, 5, 4, 6}, {3, 5, 2, 2}, halves, nothing, true);
  EXPECT_EQ(convolutions(graph, ElementType::kFloat32), 1U);
}

std::vector<std::string> remarks(const OnnxBuilder& b) { return read_onnx(b.bytes(), "small").remarks; }

/// x, int8, behind conversions, and two convolutions.
OnnxBuilder two_convolutions() {
  OnnxBuilder b;
  b.input("x", {1, 2, 4, 4}).constant<float>("s", {}, {0.5F}).constant<std::int8_t>("z", {}, {3});
  b.constant<std::int8_t>("w", {2, 2, 1, 1}, {1, 2, 3, 4});
  b.node("DequantizeLinear", {"w", "s", "z"}, "wr");
  const std::string x = quantized(b, "x", "s");
  b.node("Conv", {x, "wr"}, "c");
  b.node("Conv", {x, "wr"}, "d");
  return b;
}

TEST(FloatProducts, SayWhy) {
  OnnxBuilder outputs = two_convolutions();
  outputs.output("c").output("d");
  EXPECT_THAT(remarks(outputs),
              testing::ElementsAre("2 int8 convolutions run in float32 because no QuantizeLinear takes their result, "
                                   "which is an output"));
  OnnxBuilder between = two_convolutions();
  between.node("Exp", {"c"}, "e");
  between.node("QuantizeLinear", {"d", "s", "z"}, "dq");
  between.node("QuantizeLinear", {"e", "s", "z"}, "eq");
  between.output("dq").output("eq");
  EXPECT_THAT(remarks(between),
              testing::ElementsAre("1 int8 convolution runs in float32 because Exp is between them and "
                                   "QuantizeLinear"));
  OnnxBuilder read = two_convolutions();
  read.node("QuantizeLinear", {"c", "s", "z"}, "cq");
  read.node("Add", {"c", "d"}, "e");
  read.node("QuantizeLinear", {"d", "s", "z"}, "dq");
  read.output("cq").output("e").output("dq");
  EXPECT_THAT(remarks(read), testing::ElementsAre("2 int8 convolutions run in float32 because 2 operators read their "
                                                  "result before it is quantized"));
  OnnxBuilder channels = two_convolutions();
  channels.constant<float>("s2", {2}, {0.5F, 0.25F}).constant<std::int8_t>("z2", {2}, {3, 4});
  set_int(channels.node("QuantizeLinear", {"c", "s2", "z2"}, "cq"), "axis", 1);
  channels.node("QuantizeLinear", {"d", "s", "z"}, "dq");
  channels.output("cq").output("dq");
  EXPECT_THAT(remarks(channels), testing::ElementsAre("1 int8 convolution runs in float32 because their result has "
                                                      "several scales, or one that is computed"));
  OnnxBuilder right = two_convolutions();
  right.node("QuantizeLinear", {"c", "s", "z"}, "cq");
  right.node("QuantizeLinear", {"d", "s", "z"}, "dq");
  right.output("cq").output("dq");
  EXPECT_THAT(remarks(right), testing::IsEmpty());
}

/// More moves than a stack has room for calls.
TEST(FloatProducts, BeforeManyMoves) {
  constexpr int kMoves = 400'000;
  Graph graph;
  const auto add = [&](OperatorKind kind, std::vector<TensorId> inputs, ElementType type) {
    graph.tensors.push_back({"", type, {1, 1}, {}, nullptr});
    const auto id = static_cast<TensorId>(graph.tensors.size()) - 1;
    Operator op;
    op.kind = std::move(kind);
    op.inputs = std::move(inputs);
    op.outputs = {id};
    graph.operators.push_back(std::move(op));
    return id;
  };
  graph.tensors.push_back({"x", ElementType::kInt8, {1, 1}, Quantization{{0.5F}, {0}, 0}, nullptr});
  const TensorId real = add(Convert{}, {0}, ElementType::kFloat32);
  TensorId last = add(MatMul{}, {real, real}, ElementType::kFloat32);
  for (int i = 0; i < kMoves; ++i) {
    last = add(Reshape{}, {last}, ElementType::kFloat32);
  }
  EXPECT_THAT(
      onnx_file::float_products(graph),
      testing::ElementsAre("1 int8 matrix product runs in float32 because no QuantizeLinear takes their result, "
                           "which is an output"));
}

TEST(FloatProducts, SayThatTheArrayHas8Bits) {
  OnnxBuilder wide(21);
  wide.input("x", {2, 4}).constant<float>("s", {}, {0.5F}).constant<std::int8_t>("w", {4, 3}, some<std::int8_t>(12));
  auto& point = *wide.graph().add_initializer();
  point.set_name("z");
  point.set_data_type(onnx::TensorProto::INT16);
  point.add_int32_data(7);
  wide.node("DequantizeLinear", {"w", "s"}, "wr");
  wide.node("QuantizeLinear", {"x", "s", "z"}, "xq");
  wide.node("DequantizeLinear", {"xq", "s", "z"}, "xr");
  wide.node("MatMul", {"xr", "wr"}, "c");
  wide.node("QuantizeLinear", {"c", "s", "z"}, "y");
  EXPECT_THAT(remarks(wide.output("y")),
              testing::ElementsAre("1 int8 dense layer runs in float32 because the array multiplies int8, and their "
                                   "input or their weights have 16 bits"));
}

}  // namespace
}  // namespace systole::graph::test
