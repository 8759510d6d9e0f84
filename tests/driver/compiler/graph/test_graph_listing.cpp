// SPDX-License-Identifier: Apache-2.0
#include "graph_listing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "attributes.hpp"
#include "operator_graph.hpp"

namespace systole::graph::test {
namespace {

Graph convolution() {
  Conv2d conv;
  conv.window = {3, 3, 2, 2, 1, 1, 0, 1, 0, 1};
  conv.groups = 2;
  conv.activation = Activation::kRelu6;
  Tensor weights = constant<std::int8_t>(tensor({4, 3, 3, 1}, ElementType::kInt8), std::vector<std::int8_t>(36));
  weights.quantization = Quantization{{0.1F, 0.2F, 0.3F, 0.4F}, {0, 0, 0, 0}, 0};
  Graph graph = one_operator(conv, {quantized({1, 4, 4, 2}, 0.5F, 3), weights}, {quantized({1, 2, 2, 4}, 0.25F, -128)});
  graph.name = "example";
  graph.operators[0].origin = "CONV_2D";
  validate(graph);
  return graph;
}

TEST(Listing, JsonHasTensorsAndOperators) {
  const nlohmann::ordered_json json = to_json(convolution());
  EXPECT_EQ(json["macs"], 144);
  EXPECT_EQ(json["constant_bytes"], 36);
  const auto& op = json["operators"][0];
  EXPECT_EQ(op["kind"], "Conv2d");
  EXPECT_EQ(op["origin"], "CONV_2D");
  EXPECT_EQ(op["arithmetic"], "tflite");
  EXPECT_EQ(op["inputs"][1]["scale"].size(), 4U);
  EXPECT_EQ(op["inputs"][1]["constant"], true);
  EXPECT_EQ(op["outputs"][0]["shape"], nlohmann::json({1, 2, 2, 4}));
}

TEST(Listing, EveryKindHasName) {
  const std::vector<OperatorKind> kinds = {
      Conv2d{},      Dense{},          MatMul{},      Binary{},        Unary{},          Pool{},   Reduce{},
      Pad{},         Reshape{},        Transpose{},   Concat{},        Split{},          Slice{},  ResizeNearest{},
      Softmax{},     Convert{},        Select{},      ArgExtreme{},    CumulativeSum{},  Gather{}, FlatIndex{},
      Scatter{},     TopK{},           MaxIndices{},  Determinant{},   Lstm{},           Svdf{},   ResizeBilinear{},
      L2Normalize{}, LayerNormalize{}, Reinterpret{}, LocalResponse{}, BatchNormalize{}, Dropout{}};
  ASSERT_EQ(kinds.size(), std::variant_size_v<OperatorKind>);
  const std::vector<const char*> names = {
      "Conv2d",      "Dense",          "MatMul",      "Binary",        "Unary",          "Pool",   "Reduce",
      "Pad",         "Reshape",        "Transpose",   "Concat",        "Split",          "Slice",  "ResizeNearest",
      "Softmax",     "Convert",        "Select",      "ArgExtreme",    "CumulativeSum",  "Gather", "FlatIndex",
      "Scatter",     "TopK",           "MaxIndices",  "Determinant",   "Lstm",           "Svdf",   "ResizeBilinear",
      "L2Normalize", "LayerNormalize", "Reinterpret", "LocalResponse", "BatchNormalize", "Dropout"};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_STREQ(name_of(kinds[i]), names[i]);
  }
  EXPECT_STREQ(name_of(UnaryKind::kIdentity), "identity");
  EXPECT_STREQ(name_of(UnaryKind::kTanh), "tanh");
  EXPECT_STREQ(name_of(UnaryKind::kIsInfinite), "is infinite");
  EXPECT_STREQ(name_of(UnaryKind::kReciprocalSqrt), "reciprocal square root");
  EXPECT_STREQ(name_of(BinaryKind::kPower), "power");
  EXPECT_STREQ(name_of(BinaryKind::kShiftRight), "shift right");
  EXPECT_STREQ(name_of(BinaryKind::kPrelu), "prelu");
  EXPECT_STREQ(name_of(ReduceKind::kProduct), "product");
}

TEST(Macs, AreCountedByKind) {
  Graph graph = one_operator(MatMul{true, false}, {tensor({5, 2}), tensor({3, 5, 4})}, {tensor({3, 2, 4})});
  EXPECT_EQ(useful_macs(graph, graph.operators[0]), 3U * 2 * 4 * 5);
  graph = one_operator(Dense{}, {tensor({2, 3, 5}), tensor({7, 5})}, {tensor({2, 3, 7})});
  EXPECT_EQ(useful_macs(graph, graph.operators[0]), 2U * 3 * 7 * 5);
  graph = one_operator(Unary{}, {tensor({7})}, {tensor({7})});
  EXPECT_EQ(useful_macs(graph, graph.operators[0]), 0U);
  graph = one_operator(Lstm{},
                       {tensor({2, 7, 3}), tensor({5, 3}), tensor({5, 3}), tensor({5, 3}), tensor({5, 3}),
                        tensor({5, 5}), tensor({5, 5}), tensor({5, 5}), tensor({5, 5}), tensor({5}), tensor({5}),
                        tensor({5}), tensor({5}), tensor({2, 5}), tensor({2, 5})},
                       {tensor({2, 7, 5})});
  EXPECT_EQ(useful_macs(graph, graph.operators[0]), 2U * 7 * 4 * 5 * (3 + 5));
  graph = one_operator(Svdf{2}, {tensor({3, 4}), tensor({10, 4}), tensor({10, 6}), tensor({3, 60})}, {tensor({3, 5})});
  EXPECT_EQ(useful_macs(graph, graph.operators[0]), 3U * 10 * (4 + 6));
}

}  // namespace
}  // namespace systole::graph::test
