// SPDX-License-Identifier: Apache-2.0
// Integers in ONNX's arithmetic: integer sums, scales multiplied in float32, one rounding, ties to even.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "onnx_builder.hpp"

namespace systole::graph::test {
namespace {

constexpr int kByte = onnx::TensorProto::UINT8;

/// ONNX's rounding on integers: exact, since the test's scales are powers of two.
std::uint8_t quantized(std::int64_t sum, double scale, int zero_point) {
  return static_cast<std::uint8_t>(
      std::clamp(std::nearbyint(static_cast<double>(sum) * scale) + zero_point, 0.0, 255.0));
}

TEST(Quantized, QLinearConvWithPerChannelZeroPoint) {
  const auto x = some<std::uint8_t>(2 * 9);
  const auto w = some<std::uint8_t>(2 * 2 * 1, 2);
  OnnxBuilder b(10);
  b.input("x", {1, 2, 3, 3}, kByte).constant<float>("xs", {}, {0.5F}).constant<std::uint8_t>("xz", {}, {7});
  b.constant("w", {2, 2, 1, 1}, w)
      .constant<float>("ws", {2}, {0.25F, 0.5F})
      .constant<std::uint8_t>("wz", {2}, {0, 255});
  b.constant<float>("ys", {}, {16.0F})
      .constant<std::uint8_t>("yz", {}, {100})
      .constant<std::int32_t>("bias", {2}, {1000, -500});
  b.node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "bias"}, "y");
  const Graph graph = b.output("y").import();
  const auto seen = elements<std::uint8_t>(execute(graph, {make_value(ElementType::kUint8, {1, 2, 3, 3}, x)}).front());
  const int zero_points[] = {0, 255};
  const double scales[] = {0.5 * 0.25 / 16, 0.5 * 0.5 / 16};
  const int bias[] = {1000, -500};
  for (std::size_t o = 0; o < 2; ++o) {
    for (std::size_t at = 0; at < 9; ++at) {
      std::int64_t sum = bias[o];
      for (std::size_t c = 0; c < 2; ++c) {
        sum += (int{x[c * 9 + at]} - 7) * (int{w[o * 2 + c]} - zero_points[o]);
      }
      EXPECT_EQ(seen[o * 9 + at], quantized(sum, scales[o], 100)) << o << " " << at;
    }
  }
}

TEST(Quantized, MicrosoftAddAndMul) {
  for (const char* type : {"QLinearAdd", "QLinearMul"}) {
    const auto a = some<std::uint8_t>(8);
    const auto b = some<std::uint8_t>(8, 3);
    OnnxBuilder file(13);
    file.input("a", {8}, kByte).input("b", {8}, kByte);
    file.constant<float>("as", {}, {0.5F}).constant<std::uint8_t>("az", {}, {100});
    file.constant<float>("bs", {}, {0.25F}).constant<std::uint8_t>("bz", {}, {20});
    file.constant<float>("ys", {}, {2.0F}).constant<std::uint8_t>("yz", {}, {128});
    file.node(type, {"a", "as", "az", "b", "bs", "bz", "ys", "yz"}, "y").set_domain("com.microsoft");
    const Graph graph = file.output("y").import();
    ASSERT_EQ(graph.operators.size(), 1U);
    const auto seen = elements<std::uint8_t>(
        execute(graph, {make_value(ElementType::kUint8, {8}, a), make_value(ElementType::kUint8, {8}, b)}).front());
    for (std::size_t i = 0; i < 8; ++i) {
      const double x = 0.5 * (int{a[i]} - 100);
      const double y = 0.25 * (int{b[i]} - 20);
      const double result = std::nearbyint((type[7] == 'A' ? x + y : x * y) / 2.0) + 128;
      EXPECT_EQ(seen[i], static_cast<std::uint8_t>(std::clamp(result, 0.0, 255.0))) << type << " " << i;
    }
  }
}

TEST(Quantized, MicrosoftGlobalAveragePool) {
  for (const float output : {0.5F, 0.25F}) {
    OnnxBuilder file(13);
    file.input("x", {1, 2, 1, 3}, kByte)
        .constant<float>("xs", {}, {0.5F})
        .constant<std::uint8_t>("z", {}, {10})
        .constant<float>("ys", {}, {output});
    file.node("QLinearGlobalAveragePool", {"x", "xs", "z", "ys", "z"}, "y").set_domain("com.microsoft");
    const Graph graph = file.output("y").import();
    const auto seen = elements<std::uint8_t>(
        execute(graph, {make_value<std::uint8_t>(ElementType::kUint8, {1, 2, 1, 3}, {10, 11, 14, 0, 1, 3})}).front());
    const double factor = 0.5 / double{output};
    EXPECT_EQ(seen[0], std::nearbyint(5.0 / 3 * factor) + 10);
    EXPECT_EQ(seen[1], std::max(std::nearbyint(-26.0 / 3 * factor) + 10, 0.0));
  }
}

TEST(Quantized, MatMulIntegerWithComputedZeroPoint) {
  const auto a = some<std::uint8_t>(6);
  const auto w = some<std::int8_t>(6, 5);
  OnnxBuilder b(11);
  b.input("a", {2, 3}, kByte).input("z", {}, kByte).constant("b", {3, 2}, w).constant<std::int8_t>("bz", {}, {-3});
  b.node("MatMulInteger", {"a", "b", "z", "bz"}, "y");
  const Graph graph = b.output("y").import();
  const Value zero_point = make_value<std::uint8_t>(ElementType::kUint8, {}, {200});
  const auto seen =
      elements<std::int32_t>(execute(graph, {make_value(ElementType::kUint8, {2, 3}, a), zero_point}).front());
  for (std::size_t m = 0; m < 2; ++m) {
    for (std::size_t n = 0; n < 2; ++n) {
      int sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        sum += (int{a[m * 3 + k]} - 200) * (int{w[k * 2 + n]} + 3);
      }
      EXPECT_EQ(seen[m * 2 + n], sum);
    }
  }
}

/// Zero points that are inputs of the file: one, one for each row of A, one for each column of B; and vectors.
TEST(Quantized, MatMulIntegerWithZeroPointsAsInputs) {
  struct Case {
    Shape a, b, a_point, b_point;
  };
  const std::vector<Case> cases = {{{2, 3}, {3, 4}, {2}, {4}},
                                   {{2, 3}, {3, 4}, {}, {4}},
                                   {{2, 3}, {3, 4}, {2, 1}, {}},
                                   {{3}, {3, 4}, {1}, {4}},
                                   {{2, 3}, {3}, {2}, {1}},
                                   {{3}, {3}, {}, {}},
                                   {{2, 2, 3}, {2, 3, 4}, {2, 2, 1}, {2, 1, 4}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(to_string(c.a) + " " + to_string(c.b) + " " + to_string(c.a_point) + " " + to_string(c.b_point));
    OnnxBuilder file(11);
    file.input("a", c.a, kByte).input("b", c.b, onnx::TensorProto::INT8).input("az", c.a_point, kByte);
    file.input("bz", c.b_point, onnx::TensorProto::INT8).node("MatMulInteger", {"a", "b", "az", "bz"}, "y");
    const auto size = [](const Shape& shape) { return static_cast<std::size_t>(count(shape)); };
    const auto a = some<std::uint8_t>(size(c.a));
    const auto b = some<std::int8_t>(size(c.b), 5);
    const auto az = some<std::uint8_t>(size(c.a_point), 7);
    const auto bz = some<std::int8_t>(size(c.b_point), 11);
    const Graph graph = file.output("y").import();
    const auto seen = elements<std::int32_t>(
        execute(graph, {make_value(ElementType::kUint8, c.a, a), make_value(ElementType::kInt8, c.b, b),
                        make_value(ElementType::kUint8, c.a_point, az), make_value(ElementType::kInt8, c.b_point, bz)})
            .front());
    const std::size_t columns = c.b.size() < 2 ? 1 : 4;
    const std::size_t rows = c.a.size() < 2 ? 1 : 2;
    ASSERT_EQ(seen.size(), columns * size(c.a) / 3);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const std::size_t row = i / columns;  // of all matrices
      const std::size_t matrix = row / rows;
      const std::size_t column = i % columns;
      int sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const int left = int{a[row * 3 + k]} - az[row % az.size()];
        sum += left * (int{b[(matrix * 3 + k) * columns + column]} - bz[(matrix * columns + column) % bz.size()]);
      }
      EXPECT_EQ(seen[i], sum) << i;
    }
  }
}

/// x -> Q -> DQ -> conv with DQ weights and DQ bias -> Relu -> Q -> DQ -> y
OnnxBuilder dequantize_quantize() {
  OnnxBuilder b;
  b.input("x", {1, 1, 2, 2}).constant<float>("s", {}, {0.5F}).constant<std::int8_t>("z", {}, {3});
  b.constant<std::int8_t>("w", {2, 1, 1, 1}, {4, -6})
      .constant<float>("ws", {2}, {0.25F, 0.125F})
      .constant<std::int8_t>("wz", {2}, {0, 0});
  b.constant<std::int32_t>("b", {2}, {8, 16})
      .constant<float>("bs", {2}, {0.125F, 0.0625F})
      .constant<std::int32_t>("bz", {2}, {0, 0});
  b.constant<float>("ys", {}, {1.0F}).constant<std::int8_t>("yz", {}, {-100});
  b.node("QuantizeLinear", {"x", "s", "z"}, "xq");
  b.node("DequantizeLinear", {"xq", "s", "z"}, "xr");
  set_int(b.node("DequantizeLinear", {"w", "ws", "wz"}, "wr"), "axis", 0);
  set_int(b.node("DequantizeLinear", {"b", "bs", "bz"}, "br"), "axis", 0);
  b.node("Conv", {"xr", "wr", "br"}, "c");
  b.node("Relu", {"c"}, "r");
  b.node("QuantizeLinear", {"r", "ys", "yz"}, "yq");
  b.node("DequantizeLinear", {"yq", "ys", "yz"}, "y");
  b.output("y");
  return b;
}

TEST(Quantized, FusesDequantizeConvReluQuantize) {
  const Graph graph = dequantize_quantize().import();
  const auto conv = std::find_if(graph.operators.begin(), graph.operators.end(),
                                 [](const Operator& op) { return std::holds_alternative<Conv2d>(op.kind); });
  ASSERT_NE(conv, graph.operators.end());
  EXPECT_EQ(graph.tensor(conv->inputs[0]).type, ElementType::kInt8);
  EXPECT_EQ(graph.tensor(conv->inputs[1]).type, ElementType::kInt8);
  EXPECT_EQ(graph.tensor(conv->inputs[1]).quantization->axis, 0);
  EXPECT_EQ(graph.tensor(conv->inputs[2]).type, ElementType::kInt32);
  EXPECT_EQ(std::get<Conv2d>(conv->kind).activation, Activation::kRelu);
  EXPECT_EQ(conv->arithmetic, Arithmetic::kOnnx);
  const Value result = execute(graph, {make_value<float>(ElementType::kFloat32, {1, 1, 2, 2}, {1, 2, -3, 40})}).front();
  // 1 x + 1 and -0.75 x + 1, in whole steps, never below 0
  EXPECT_EQ(elements<float>(result), (std::vector<float>{2, 3, 0, 41, 0, 0, 3, 0}));
}

TEST(Quantized, FusesOtherOperators) {
  OnnxBuilder b;
  b.input("x", {4}, onnx::TensorProto::INT8).constant<float>("s", {}, {0.5F}).constant<std::int8_t>("z", {}, {1});
  b.node("DequantizeLinear", {"x", "s", "z"}, "xr");
  b.node("Sigmoid", {"xr"}, "a");
  b.constant<float>("as", {}, {1.0F / 256}).constant<std::int8_t>("az", {}, {-128});
  b.node("QuantizeLinear", {"a", "as", "az"}, "aq");
  b.node("DequantizeLinear", {"aq", "as", "az"}, "ar");
  b.node("Add", {"ar", "xr"}, "c");
  b.node("QuantizeLinear", {"c", "s", "z"}, "y");
  const Graph graph = b.output("y").import();
  ASSERT_EQ(graph.operators.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<Unary>(graph.operators[0].kind));
  EXPECT_TRUE(std::holds_alternative<Binary>(graph.operators[1].kind));
  const auto seen = elements<std::int8_t>(
      execute(graph, {make_value<std::int8_t>(ElementType::kInt8, {4}, {1, 5, -7, 100})}).front());
  // x = 0, 2, -4, 49.5; its sigmoid in steps of 1/256 0.5, 0.8828, 0.0195, 0.9961; sums in steps of 0.5
  EXPECT_EQ(seen, (std::vector<std::int8_t>{2, 7, -7, 102}));
}

TEST(Quantized, IntegersWithoutScalesArePlain) {
  OnnxBuilder b;
  b.input("a", {3}, kByte).input("b", {3}, kByte);
  b.node("Add", {"a", "b"}, "s");
  b.node("Div", {"s", "b"}, "y");
  const Graph graph = b.output("y").import();
  const auto value = [](const std::vector<std::uint8_t>& v) { return make_value(ElementType::kUint8, {3}, v); };
  EXPECT_EQ(elements<std::uint8_t>(execute(graph, {value({250, 7, 100}), value({10, 2, 50})}).front()),
            (std::vector<std::uint8_t>{0, 4, 3}));
}

}  // namespace
}  // namespace systole::graph::test
