// SPDX-License-Identifier: Apache-2.0
// Quantized operators of com.microsoft that quantizers and ONNX Runtime's optimizations write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "onnx_builder.hpp"

namespace systole::graph::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Bytes8 = std::vector<std::uint8_t>;
constexpr int kByte = onnx::TensorProto::UINT8;

onnx::NodeProto& microsoft(OnnxBuilder& file, const std::string& type, const std::vector<std::string>& inputs) {
  onnx::NodeProto& node = file.node(type, inputs, "y");
  node.set_domain("com.microsoft");
  return node;
}

/// Scales 0.5 and 0.25 with the zero points 10 and 20, and 1 with 100.
OnnxBuilder with_scales() {
  OnnxBuilder file;
  file.constant<float>("as", {}, {0.5F}).constant<std::uint8_t>("az", {}, {10});
  file.constant<float>("bs", {}, {0.25F}).constant<std::uint8_t>("bz", {}, {20});
  file.constant<float>("ys", {}, {1}).constant<std::uint8_t>("yz", {}, {100});
  return file;
}

Value bytes(const Shape& shape, const Bytes8& values) { return make_value(ElementType::kUint8, shape, values); }

TEST(Microsoft, GemmOfBytes) {
  for (const bool dense : {true, false}) {
    for (const bool real : {true, false}) {
      OnnxBuilder file = with_scales();
      file.input("a", {2, 1}, kByte).constant<std::int32_t>("c", {2}, {8, -16});
      dense ? file.constant<std::uint8_t>("b", {2, 2}, {22, 24, 20, 16}) : file.input("b", {2, 2}, kByte);
      std::vector<std::string> inputs = {"a", "as", "az", "b", "bs", "bz", "c", "ys", "yz"};
      inputs.resize(real ? 7 : 9);
      auto& node = microsoft(file, "QGemm", inputs);
      set_int(node, "transA", 1);
      set_int(node, "transB", 1);
      set_real(node, "alpha", 2);
      std::vector<Value> x = {bytes({2, 1}, {14, 20})};
      if (!dense) {
        x.push_back(bytes({2, 2}, {22, 24, 20, 16}));
      }
      const Value y = execute(file.output("y").import(), x).at(0);
      // a is 2 and 5, b is 0.5 and 1, 0 and -1, c is 1 and -2: twice 7 and -7
      if (real) {
        EXPECT_THAT(elements<float>(y), ElementsAre(14, -14));
      } else {
        EXPECT_THAT(elements<std::uint8_t>(y), ElementsAre(114, 86));
      }
    }
  }
}

TEST(Microsoft, ConcatAndWhereFollowTheScaleOfTheResult) {
  OnnxBuilder joined = with_scales();
  joined.input("a", {2}, kByte).input("b", {2}, kByte);
  set_int(microsoft(joined, "QLinearConcat", {"ys", "yz", "a", "as", "az", "b", "bs", "bz"}), "axis", 0);
  const std::vector<Value> x = {bytes({2}, {14, 0}), bytes({2}, {20, 255})};
  // 2, -5, 0, and 58.75, which becomes 59
  EXPECT_THAT(elements<std::uint8_t>(execute(joined.output("y").import(), x).at(0)), ElementsAre(102, 95, 100, 159));

  OnnxBuilder chosen = with_scales();
  chosen.input("a", {2}, kByte).input("b", {2}, kByte).input("c", {2}, onnx::TensorProto::BOOL);
  microsoft(chosen, "QLinearWhere", {"c", "a", "as", "az", "b", "bs", "bz", "ys", "yz"});
  const Value condition = make_value<std::uint8_t>(ElementType::kBool, {2}, {1, 0});
  EXPECT_THAT(elements<std::uint8_t>(execute(chosen.output("y").import(), {x[0], x[1], condition}).at(0)),
              ElementsAre(102, 159));
}

TEST(Microsoft, MeansAndSoftmax) {
  OnnxBuilder pool = with_scales();
  pool.input("a", {1, 1, 4, 1}, kByte);  // N,H,W,C
  auto& node = microsoft(pool, "QLinearAveragePool", {"a", "as", "az", "ys", "yz"});
  set_ints(node, "kernel_shape", {1, 2});
  set_ints(node, "strides", {1, 2});
  set_int(node, "channels_last", 1);
  const Value x = bytes({1, 1, 4, 1}, {14, 18, 10, 0});  // 2, 4, 0, -5
  // 3 and -2.5, which becomes -2: ties go to even numbers
  EXPECT_THAT(elements<std::uint8_t>(execute(pool.output("y").import(), {x}).at(0)), ElementsAre(103, 98));

  OnnxBuilder mean = with_scales();
  mean.input("a", {2, 2}, kByte);
  auto& reduce = microsoft(mean, "QLinearReduceMean", {"a", "as", "az", "ys", "yz"});
  set_ints(reduce, "axes", {-1});
  set_int(reduce, "keepdims", 0);
  const Value means = execute(mean.output("y").import(), {bytes({2, 2}, {14, 18, 10, 6})}).at(0);
  EXPECT_EQ(means.shape, Shape{2});
  EXPECT_THAT(elements<std::uint8_t>(means), ElementsAre(103, 99));

  OnnxBuilder softmax;
  softmax.input("a", {1, 2}, kByte).constant<float>("as", {}, {0.5F}).constant<std::uint8_t>("az", {}, {10});
  softmax.constant<float>("ys", {}, {1.0F / 256}).constant<std::uint8_t>("yz", {}, {0});
  auto& last = microsoft(softmax, "QLinearSoftmax", {"a", "as", "az", "ys", "yz"});
  set_int(last, "axis", -1);
  set_int(last, "opset", 13);
  // of 0 and 2: 0.1192 and 0.8808
  EXPECT_THAT(elements<std::uint8_t>(execute(softmax.output("y").import(), {bytes({1, 2}, {10, 14})}).at(0)),
              ElementsAre(31, 225));
}

TEST(Microsoft, ProductsOfIntegersAsRealNumbers) {
  OnnxBuilder file = with_scales();
  file.input("a", {1, 2}, kByte).constant<std::uint8_t>("b", {2, 1}, {24, 16}).constant<float>("c", {1}, {0.5F});
  microsoft(file, "MatMulIntegerToFloat", {"a", "b", "as", "bs", "az", "bz", "c"});
  EXPECT_THAT(elements<float>(execute(file.output("y").import(), {bytes({1, 2}, {14, 20})}).at(0)), ElementsAre(-2.5F));

  OnnxBuilder dynamic = with_scales();
  dynamic.input("x", {1, 2}).constant<std::uint8_t>("b", {2, 1}, {24, 16});
  microsoft(dynamic, "DynamicQuantizeMatMul", {"x", "b", "bs", "bz"});
  const Value x = make_value<float>(ElementType::kFloat32, {1, 2}, {0, 255});  // steps of 1
  EXPECT_THAT(elements<float>(execute(dynamic.output("y").import(), {x}).at(0)), ElementsAre(-255));
}

/// Attention of queries that are 0 to keys and values, after one value of the past or none: means of what they see.
OnnxBuilder attention_in_one_direction(std::int64_t queries, std::int64_t keys, bool has_past) {
  OnnxBuilder file;
  file.input("q", {1, queries, 1}).input("k", {1, keys, 1}).input("v", {1, keys, 1});
  file.constant<float>("pk", {1, 1, 1, 1}, {0}).constant<float>("pv", {1, 1, 1, 1}, {6});
  std::vector<std::string> inputs = {"q", "k", "v"};
  if (has_past) {
    inputs.insert(inputs.end(), {"", "", "", "pk", "pv"});
  }
  auto& node = microsoft(file, "MultiHeadAttention", inputs);
  set_int(node, "num_heads", 1);
  set_int(node, "unidirectional", 1);
  return file;
}

std::string complaint(OnnxBuilder& file) {
  try {
    file.output("y").import();
    return "nothing";
  } catch (const GraphError& error) {
    return error.what();
  }
}

/// A query sees the keys up to its own place, the last one sees all.
TEST(Microsoft, AttentionInOneDirection) {
  const auto seen = [](std::int64_t queries, const std::vector<float>& values, bool has_past) {
    const auto keys = static_cast<std::int64_t>(values.size());
    const auto reals = [](const std::vector<float>& numbers) {
      return make_value<float>(ElementType::kFloat32, {1, static_cast<std::int64_t>(numbers.size()), 1}, numbers);
    };
    const Graph graph = attention_in_one_direction(queries, keys, has_past).output("y").import();
    const std::vector<float> zeros(values.size());
    const std::vector<float> x(static_cast<std::size_t>(queries));
    return elements<float>(execute(graph, {reals(x), reals(zeros), reals(values)}).at(0));
  };
  EXPECT_THAT(seen(2, {2, 4}, false), ElementsAre(2, 3));
  EXPECT_THAT(seen(2, {2, 4}, true), ElementsAre(4, 4));
  EXPECT_THAT(seen(1, {2, 4}, false), ElementsAre(3));
  EXPECT_THAT(seen(3, {2, 4}, false), ElementsAre(2, 3, 3));
  OnnxBuilder more = attention_in_one_direction(2, 3, false);
  EXPECT_THAT(complaint(more), HasSubstr("unidirectional attention of 2 queries to 3 keys, 0 of them of the past"));
}

TEST(Microsoft, AttentionOfImpossibleSizes) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  OnnxBuilder group;  // 2 and twice the other number are 0 in 64 bits
  group.input("q", {1, 2, 8}).constant<std::int32_t>("last", {1}, {1}).constant<std::int32_t>("all", {}, {2});
  auto& heads = microsoft(group, "GroupQueryAttention", {"q", "", "", "", "", "last", "all"});
  set_int(heads, "num_heads", 2);
  set_int(heads, "kv_num_heads", kMost);
  EXPECT_THAT(complaint(group),
              HasSubstr("kv_num_heads 9223372036854775807 for queries of 8 columns; expected 1 to 8"));

  OnnxBuilder blind;
  blind.input("q", {1, 2, 12}).constant<std::int32_t>("last", {1}, {1}).constant<std::int32_t>("all", {}, {2});
  auto& window = microsoft(blind, "GroupQueryAttention", {"q", "", "", "", "", "last", "all"});
  set_int(window, "num_heads", 1);
  set_int(window, "kv_num_heads", 1);
  set_int(window, "local_window_size", 0);
  EXPECT_THAT(complaint(blind), HasSubstr("local_window_size 0 leaves a query without keys"));

  OnnxBuilder packed;  // the sum is 12 in 64 bits
  packed.input("x", {1, 2, 4}).constant<float>("w", {4, 12}, std::vector<float>(48));
  auto& sizes = microsoft(packed, "Attention", {"x", "w"});
  set_int(sizes, "num_heads", 1);
  set_ints(sizes, "qkv_hidden_sizes", {4, kMost, 8 - kMost});
  EXPECT_THAT(complaint(packed), HasSubstr("weights have 4x12"));
}

TEST(Microsoft, UnknownOperatorsNameTheirDomain) {
  OnnxBuilder file;
  file.input("x", {1});
  microsoft(file, "QFrobnicate", {"x"});
  const ModelContents contents = read_onnx(file.output("y").bytes(), "m");
  ASSERT_EQ(contents.obstacles.size(), 1U);
  EXPECT_EQ(contents.obstacles[0].type, "com.microsoft.QFrobnicate");
  EXPECT_THAT(contents.obstacles[0].text, HasSubstr("node 0 (com.microsoft.QFrobnicate ''): of domain"));
}

}  // namespace
}  // namespace systole::graph::test
