// SPDX-License-Identifier: Apache-2.0
// Operators that are new or changed in operator sets 18 and later: each against its definition, and unsupported
// features refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "onnx_builder.hpp"

namespace systole::graph::test {
namespace {

using Floats = std::vector<float>;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

Floats run(const OnnxBuilder& file, const Floats& x, std::size_t output = 0) {
  const Graph graph = file.import();
  const Tensor& tensor = graph.tensor(graph.inputs.at(0));
  return elements<float>(execute(graph, {make_value(tensor.type, tensor.shape, x)}).at(output));
}

Shape shape_of(const OnnxBuilder& file, std::size_t output = 0) {
  const Graph graph = file.import();
  return graph.tensor(graph.outputs.at(output)).shape;
}

std::string complaint(const OnnxBuilder& file) {
  try {
    file.import();
    return "nothing";
  } catch (const GraphError& error) {
    return error.what();
  }
}

Floats mapped(const Floats& x, const std::function<double(double)>& function) {
  Floats y;
  for (const float value : x) {
    y.push_back(static_cast<float>(function(double{value})));
  }
  return y;
}

const Floats kSix = {0.5F, -1.25F, 2, 0.75F, -3, 1};

TEST(Versions, ReductionAxesAsInputFrom18) {
  OnnxBuilder b(18);
  b.input("x", {2, 3}).constant<std::int64_t>("axes", {1}, {-1});
  set_int(b.node("ReduceMean", {"x", "axes"}, "y"), "keepdims", 0);
  b.output("y");
  EXPECT_EQ(shape_of(b), Shape{2});
  EXPECT_THAT(run(b, {1, 2, 3, 4, 5, 9}), ElementsAre(2, 6));
  OnnxBuilder nothing(18);
  nothing.input("x", {2, 3});
  set_int(nothing.node("ReduceSumSquare", {"x"}, "y"), "noop_with_empty_axes", 1);
  nothing.output("y");
  EXPECT_THAT(run(nothing, {1, 2, 3, 4, 5, 6}), ElementsAre(1, 4, 9, 16, 25, 36));
}

TEST(Versions, SplitIntoNumberOfPartsFrom18) {
  OnnxBuilder b(18);
  b.input("x", {7});
  auto& split = b.node("Split", {"x"}, "a");
  split.add_output("b");
  split.add_output("c");
  set_int(split, "num_outputs", 3);
  b.output("a").output("b").output("c");
  EXPECT_EQ(shape_of(b, 1), Shape{3});
  EXPECT_EQ(shape_of(b, 2), Shape{1});
  EXPECT_THAT(run(b, {1, 2, 3, 4, 5, 6, 7}, 2), ElementsAre(7));
}

TEST(Versions, PaddingOfSomeAxesFrom18) {
  OnnxBuilder b(18);
  b.input("x", {2, 2}).constant<std::int64_t>("pads", {2}, {1, 0}).constant<std::int64_t>("axes", {1}, {-1});
  b.node("Pad", {"x", "pads", "", "axes"}, "y");
  b.output("y");
  EXPECT_THAT(run(b, {1, 2, 3, 4}), ElementsAre(0, 1, 2, 0, 3, 4));
  OnnxBuilder wrap(19);
  wrap.input("x", {2}).constant<std::int64_t>("pads", {2}, {1, 0});
  set_text(wrap.node("Pad", {"x", "pads"}, "y"), "mode", "wrap");
  EXPECT_THAT(run(wrap.output("y"), {1, 2}), ElementsAre(2, 1, 2));
  OnnxBuilder cut(19);  // leaves 2 and 3, which wrap around
  cut.input("x", {4}).constant<std::int64_t>("pads", {2}, {-1, -1});
  cut.constant<std::int64_t>("more", {2}, {-1, 3});
  set_text(cut.node("Pad", {"x", "pads"}, "inside"), "mode", "wrap");
  set_text(cut.node("Pad", {"x", "more"}, "y"), "mode", "wrap");
  cut.output("inside").output("y");
  EXPECT_THAT(run(cut, {1, 2, 3, 4}), ElementsAre(2, 3));
  EXPECT_THAT(run(cut, {1, 2, 3, 4}, 1), ElementsAre(2, 3, 4, 2, 3, 4));
  OnnxBuilder far(19);
  far.input("x", {2}).constant<std::int64_t>("pads", {2}, {std::numeric_limits<std::int64_t>::min(), 0});
  set_text(far.node("Pad", {"x", "pads"}, "y"), "mode", "wrap");
  EXPECT_THAT(complaint(far.output("y")), HasSubstr("padded with -9223372036854775808 and 0 that wrap around"));
  OnnxBuilder nothing(19);
  nothing.input("x", {2}).constant<std::int64_t>("pads", {2}, {-1, -1});
  set_text(nothing.node("Pad", {"x", "pads"}, "y"), "mode", "wrap");
  EXPECT_THAT(complaint(nothing.output("y")), HasSubstr("removes all elements along axis 0"));
  OnnxBuilder other(19);
  other.input("x", {2}).constant<std::int64_t>("pads", {2}, {1, 0});
  set_text(other.node("Pad", {"x", "pads"}, "y"), "mode", "mirror");
  EXPECT_THAT(complaint(other.output("y")), HasSubstr("mode 'mirror'; expected constant, reflect, edge or wrap"));
}

TEST(Versions, ResizeOfSomeAxesFrom18) {
  OnnxBuilder b(19);
  b.input("x", {1, 1, 1, 3}).constant("scales", {1}, Floats{2});
  auto& node = b.node("Resize", {"x", "", "scales"}, "y");
  set_ints(node, "axes", {3});
  set_text(node, "nearest_mode", "floor");
  set_text(node, "coordinate_transformation_mode", "asymmetric");
  EXPECT_THAT(run(b.output("y"), {1, 2, 3}), ElementsAre(1, 1, 2, 2, 3, 3));
}

/// A smaller result takes in more than the two nearest elements.
TEST(Versions, ResizeWithAntialiasFrom18) {
  OnnxBuilder b(18);
  b.input("x", {4}).constant<std::int64_t>("sizes", {1}, {2});
  auto& node = b.node("Resize", {"x", "", "", "sizes"}, "y");
  set_text(node, "mode", "linear");
  set_int(node, "antialias", 1);
  EXPECT_THAT(run(b.output("y"), {1, 2, 3, 4}), ElementsAre(1.625F, 3.375F));
}

TEST(Versions, ResizeThatKeepsTheRatioFrom18) {
  const auto resize = [](const char* policy) {
    OnnxBuilder b(18);
    b.input("x", {1, 1, 2, 4}).constant<std::int64_t>("sizes", {2}, {4, 4});
    auto& node = b.node("Resize", {"x", "", "", "sizes"}, "y");
    set_ints(node, "axes", {2, 3});
    set_text(node, "keep_aspect_ratio_policy", policy);
    return b.output("y");
  };
  EXPECT_EQ(shape_of(resize("stretch")), (Shape{1, 1, 4, 4}));
  EXPECT_EQ(shape_of(resize("not_larger")), (Shape{1, 1, 2, 4}));
  EXPECT_EQ(shape_of(resize("not_smaller")), (Shape{1, 1, 4, 8}));
  EXPECT_THAT(complaint(resize("fit")), HasSubstr("keep_aspect_ratio_policy 'fit'; expected stretch, not_larger"));
}

TEST(Versions, PoolsOmitWindowsBeyondInput) {
  OnnxBuilder b(22);
  b.input("x", {1, 1, 2, 2});
  auto& pool = b.node("MaxPool", {"x"}, "y");
  set_ints(pool, "kernel_shape", {1, 1});
  set_ints(pool, "strides", {2, 2});
  set_ints(pool, "pads", {0, 0, 0, 0});
  set_int(pool, "ceil_mode", 1);
  b.output("y");
  EXPECT_EQ(shape_of(b), (Shape{1, 1, 1, 1}));
  OnnxBuilder norm(18);
  norm.input("x", {1, 1, 5});
  auto& lp = norm.node("LpPool", {"x"}, "y");
  set_ints(lp, "kernel_shape", {2});
  set_ints(lp, "strides", {2});
  set_int(lp, "ceil_mode", 1);
  norm.output("y");
  EXPECT_THAT(run(norm, {3, 4, 6, 8, 2}), Pointwise(FloatNear(1e-5F), Floats{5, 10, 2}));
}

/// A real number in operator set 1, an integer from 2 on.
TEST(Versions, NormsOfWindowsByAnyPowerBefore2) {
  const auto norm = [](const char* type, float p) {
    OnnxBuilder b(1);
    b.input("x", {1, 1, 2}).output("y");
    auto& node = b.node(type, {"x"}, "y");
    set_real(node, "p", p);
    if (node.op_type() == "LpPool") {
      set_ints(node, "kernel_shape", {2});
    }
    return b;
  };
  const auto expected = static_cast<float>(std::pow(std::pow(3.0, 2.5) + std::pow(4.0, 2.5), 1 / 2.5));
  for (const char* type : {"LpPool", "GlobalLpPool"}) {
    EXPECT_THAT(run(norm(type, 2.5F), {3, -4}), Pointwise(FloatNear(1e-5F), Floats{expected})) << type;
    EXPECT_THAT(complaint(norm(type, 0)), HasSubstr("p is 0; expected a finite number greater than 0")) << type;
  }
}

TEST(Versions, DilatedAveragesFrom19) {
  OnnxBuilder b(19);
  b.input("x", {1, 1, 5});
  auto& pool = b.node("AveragePool", {"x"}, "y");
  set_ints(pool, "kernel_shape", {2});
  set_ints(pool, "dilations", {3});
  b.output("y");
  EXPECT_THAT(run(b, {1, 2, 3, 5, 8}), ElementsAre(3, 5));
}

TEST(Versions, FunctionsOfEachElement) {
  const auto function = [](int opset, const char* type, const char* text = "", float alpha = 0) {
    OnnxBuilder b(opset);
    b.input("x", {6});
    auto& node = b.node(type, {"x"}, "y");
    if (*text != '\0') {
      set_text(node, "approximate", text);
    }
    if (alpha != 0) {
      set_real(node, "alpha", alpha);
    }
    b.output("y");
    return b;
  };
  const auto same_as = [](const std::function<double(double)>& expected) {
    return Pointwise(FloatNear(2e-6F), mapped(kSix, expected));
  };
  EXPECT_THAT(run(function(18, "Mish"), kSix),
              same_as([](double x) { return x * std::tanh(std::log1p(std::exp(x))); }));
  EXPECT_THAT(run(function(20, "Gelu"), kSix),
              same_as([](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }));
  EXPECT_THAT(run(function(20, "Gelu", "tanh"), kSix), same_as([](double x) {
                return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
              }));
  EXPECT_THAT(complaint(function(20, "Gelu", "sigmoid")), HasSubstr("approximate 'sigmoid'; expected none or tanh"));
  EXPECT_THAT(run(function(24, "Swish", "", 0.5F), kSix),
              same_as([](double x) { return x / (1 + std::exp(-0.5 * x)); }));
}

/// Mean and variance over groups of `size` elements.
Floats group_normalized(const Floats& x, std::size_t size) {
  Floats y;
  for (std::size_t first = 0; first < x.size(); first += size) {
    double mean = 0, square = 0;
    for (std::size_t i = first; i < first + size; ++i) {
      mean += double{x[i]} / static_cast<double>(size);
    }
    for (std::size_t i = first; i < first + size; ++i) {
      square += (double{x[i]} - mean) * (double{x[i]} - mean) / static_cast<double>(size);
    }
    for (std::size_t i = first; i < first + size; ++i) {
      y.push_back(static_cast<float>((double{x[i]} - mean) / std::sqrt(square + 1e-5)));
    }
  }
  return y;
}

TEST(Versions, GroupNormalizationPerGroup18PerChannel21) {
  const auto normalization = [](int opset, const Floats& scale, const Floats& bias) {
    OnnxBuilder b(opset);
    const auto values = static_cast<std::int64_t>(scale.size());
    b.input("x", {1, 4, 3}).constant("scale", {values}, scale).constant("bias", {values}, bias);
    set_int(b.node("GroupNormalization", {"x", "scale", "bias"}, "y"), "num_groups", 2);
    b.output("y");
    return b;
  };
  const Floats x = some<float>(12);
  const Floats plain = group_normalized(x, 6);
  Floats per_group, per_channel;
  for (std::size_t i = 0; i < x.size(); ++i) {
    per_group.push_back(plain[i] * (i < 6 ? 2.0F : 3.0F) + (i < 6 ? 0.5F : -1.0F));
    per_channel.push_back(plain[i] * static_cast<float>(i / 3 + 1) + static_cast<float>(i / 3));
  }
  EXPECT_THAT(run(normalization(18, {2, 3}, {0.5F, -1}), x), Pointwise(FloatNear(1e-5F), per_group));
  EXPECT_THAT(run(normalization(21, {1, 2, 3, 4}, {0, 1, 2, 3}), x), Pointwise(FloatNear(1e-5F), per_channel));
  EXPECT_THAT(complaint(normalization(21, {2, 3}, {0.5F, -1})), HasSubstr("'scale' has shape 2"));
  EXPECT_THAT(complaint(normalization(18, {1, 2, 3, 4}, {0, 1, 2, 3})),
              HasSubstr("expected one value for each of 2 groups"));
}

TEST(Versions, RmsNormalization) {
  OnnxBuilder b(23);
  b.input("x", {2, 3}).constant("scale", {3}, Floats{1, 2, 3});
  b.node("RMSNormalization", {"x", "scale"}, "y");
  b.output("y");
  Floats expected;
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      sum += double{kSix[row * 3 + i]} * double{kSix[row * 3 + i]};
    }
    for (std::size_t i = 0; i < 3; ++i) {
      expected.push_back(
          static_cast<float>(double{kSix[row * 3 + i]} / std::sqrt(sum / 3 + 1e-5) * static_cast<double>(i + 1)));
    }
  }
  EXPECT_THAT(run(b, kSix), Pointwise(FloatNear(1e-5F), expected));
}

TEST(Versions, FourierAxisAsInputFrom20) {
  OnnxBuilder b(20);
  b.input("x", {1, 4, 1});
  b.node("DFT", {"x"}, "y");  // along the last axis of the signal
  b.output("y");
  EXPECT_THAT(run(b, {1, 2, 3, 4}), Pointwise(FloatNear(1e-5F), Floats{10, 0, -2, 2, -2, 0, -2, -2}));
  for (const int opset : {17, 20}) {
    OnnxBuilder half(opset);
    half.input("x", {1, 4, 2});
    auto& node = half.node("DFT", {"x"}, "y");
    set_int(node, "inverse", 1);
    set_int(node, "onesided", 1);
    EXPECT_THAT(complaint(half.output("y")), HasSubstr("inverse with onesided is not supported")) << opset;
  }
}

TEST(Versions, SpaceToDepthModesFrom28) {
  OnnxBuilder b(28);
  b.input("x", {1, 2, 2, 2});
  auto& node = b.node("SpaceToDepth", {"x"}, "y");
  set_int(node, "blocksize", 2);
  set_text(node, "mode", "CRD");
  b.output("y");
  EXPECT_THAT(run(b, {1, 2, 3, 4, 5, 6, 7, 8}), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(Versions, RejectsBlockQuantizationAndOtherTypes) {
  const auto quantize = [](const char* attribute, std::int64_t value) {
    OnnxBuilder b(25);
    b.input("x", {4, 4}).constant("scale", {}, Floats{0.5F});
    auto& node = b.node("QuantizeLinear", {"x", "scale"}, "q");
    if (*attribute != '\0') {
      set_int(node, attribute, value);
    }
    b.node("DequantizeLinear", {"q", "scale"}, "y");
    b.output("y");
    return b;
  };
  EXPECT_EQ(complaint(quantize("", 0)), "nothing");
  EXPECT_THAT(complaint(quantize("block_size", 2)),
              HasSubstr("block_size 2 is not supported; use one scale per tensor or per channel"));
  EXPECT_THAT(complaint(quantize("output_dtype", 22)), HasSubstr("output_dtype INT4 is not supported"));
  EXPECT_THAT(complaint(quantize("precision", 10)), HasSubstr("precision FLOAT16 is not supported"));
  const Graph graph = quantize("output_dtype", onnx::TensorProto::INT8).import();
  EXPECT_EQ(graph.tensor(graph.operators.at(0).outputs[0]).type, ElementType::kInt8);
}

TEST(Versions, ReportsUnsupportedNewOperators) {
  OnnxBuilder b(23);
  b.input("x", {1, 2, 4, 4}).node("ImageDecoder", {"x"}, "y");
  EXPECT_THAT(complaint(b.output("y")), HasSubstr("node 0 (ImageDecoder ''): is not supported"));
}

}  // namespace
}  // namespace systole::graph::test
