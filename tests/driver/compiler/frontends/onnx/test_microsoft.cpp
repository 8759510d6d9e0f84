// SPDX-License-Identifier: Apache-2.0
// Quantized operators of com.microsoft that quantizers and ONNX Runtime's optimizations write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
