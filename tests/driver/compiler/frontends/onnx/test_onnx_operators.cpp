// SPDX-License-Identifier: Apache-2.0
// Operators that ONNX's own tests do not cover, or not in this form: grouped 3-D convolutions, transposed convolutions
// of several dimensions, computed zero points, long expansions, sequences in both directions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "onnx_builder.hpp"
#include "onnx_not_supported.hpp"
#include "systole/execute.hpp"

namespace systole::graph::test {
namespace {

using Floats = std::vector<float>;
using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

template <class Element, class In>
std::vector<Element> run(const OnnxBuilder& file, const std::vector<std::vector<In>>& inputs) {
  const Graph graph = file.import();
  std::vector<Value> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& tensor = graph.tensor(graph.inputs.at(i));
    values.push_back(make_value(tensor.type, tensor.shape, inputs[i]));
  }
  return elements<Element>(execute(graph, values).at(0));
}

TEST(OnnxOperators, ResultsWithoutElementsKeepTypeAndShape) {
  OnnxBuilder file;
  file.input("x", {2, 3}).output("y").output("z").output("w");
  file.constant("begin", {1}, std::vector<std::int64_t>{3})
      .constant("end", {1}, std::vector<std::int64_t>{9})
      .constant("axis", {1}, std::vector<std::int64_t>{1});
  file.node("Slice", {"x", "begin", "end", "axis"}, "y");
  set_int(file.constant("shape", {3}, std::vector<std::int64_t>{5, 0, 7}).node("Reshape", {"y", "shape"}, "z"),
          "allowzero", 1);
  file.node("Relu", {"x"}, "w");
  const Graph graph = file.import();
  const std::vector<Value> results =
      execute(graph, {make_value(ElementType::kFloat32, {2, 3}, Floats{-1, 2, -3, 4, -5, 6})});
  EXPECT_EQ(results[0].shape, (Shape{2, 0}));
  EXPECT_TRUE(results[0].data.empty());
  EXPECT_EQ(results[1].shape, (Shape{5, 0, 7}));
  EXPECT_EQ(elements<float>(results[2]), (Floats{0, 2, 0, 4, 0, 6}));
}

/// The definition, for N = 1: kernel positions (d, y, x) of an input C,D,H,W, dilated, no padding where `pad` is 0.
struct Volume {
  int channels, size, outputs, groups, kernel, stride, dilation, pad;
  int result() const { return (size + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1; }
  Floats convolved(const Floats& input, const Floats& weights) const {
    Floats all;
    const int per_group = channels / groups;
    const int n = result();
    for (int o = 0; o < outputs; ++o) {
      for (int at = 0; at < n * n * n; ++at) {
        double sum = 0;
        for (int c = 0; c < per_group; ++c) {
          for (int tap = 0; tap < kernel * kernel * kernel; ++tap) {
            const int d = at / (n * n) * stride - pad + tap / (kernel * kernel) * dilation;
            const int y = at / n % n * stride - pad + tap / kernel % kernel * dilation;
            const int x = at % n * stride - pad + tap % kernel * dilation;
            if (d >= 0 && d < size && y >= 0 && y < size && x >= 0 && x < size) {
              const int channel = o / (outputs / groups) * per_group + c;
              sum += double{input[static_cast<std::size_t>(((channel * size + d) * size + y) * size + x)]} *
                     double{weights[static_cast<std::size_t>((o * per_group + c) * kernel * kernel * kernel + tap)]};
            }
          }
        }
        all.push_back(static_cast<float>(sum));
      }
    }
    return all;
  }
};

TEST(Operators, ConvolutionsOfVolumes) {
  for (const Volume& v :
       {Volume{2, 4, 2, 1, 2, 1, 1, 0}, Volume{4, 5, 6, 2, 3, 2, 1, 1}, Volume{3, 5, 3, 3, 2, 1, 2, 1}}) {
    const std::int64_t size = v.size;
    const std::int64_t kernel = v.kernel;
    const auto weights =
        some<float>(static_cast<std::size_t>(v.outputs * v.channels / v.groups * v.kernel * v.kernel * v.kernel), 7);
    const auto input = some<float>(static_cast<std::size_t>(v.channels * v.size * v.size * v.size));
    OnnxBuilder file;
    file.input("x", {1, v.channels, size, size, size}).output("y");
    file.constant<float>("w", {v.outputs, v.channels / v.groups, kernel, kernel, kernel}, weights);
    auto& node = file.node("Conv", {"x", "w"}, "y");
    set_int(node, "group", v.groups);
    set_ints(node, "strides", {v.stride, v.stride, v.stride});
    set_ints(node, "dilations", {v.dilation, v.dilation, v.dilation});
    set_ints(node, "pads", {v.pad, v.pad, v.pad, v.pad, v.pad, v.pad});
    EXPECT_THAT((run<float, float>(file, {input})), Pointwise(FloatNear(1e-5F), v.convolved(input, weights)));
  }
}

/// The definition of a transposed convolution: the gradient of a convolution, each input spread over the kernel.
TEST(Operators, TransposedConvolutions) {
  const auto input = some<float>(3);
  const auto weights = some<float>(4, 3);
  OnnxBuilder file;
  file.input("x", {1, 1, 3}).constant<float>("w", {1, 1, 4}, weights).output("y");
  set_ints(file.node("ConvTranspose", {"x", "w"}, "y"), "strides", {3});
  Floats expected(3 * 2 + 4);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      expected[3 * i + k] += input[i] * weights[k];
    }
  }
  EXPECT_THAT((run<float, float>(file, {input})), Pointwise(FloatNear(1e-6F), expected));
}

TEST(Operators, PaddingWithComputedZeroPointAddsNothing) {
  OnnxBuilder computed;
  OnnxBuilder constant;
  for (OnnxBuilder* file : {&computed, &constant}) {
    file->input("x", {1, 2, 4, 4}, onnx::TensorProto::UINT8).output("y");
    file->constant<std::uint8_t>("w", {3, 2, 3, 3}, some<std::uint8_t>(54, 5)).constant<std::uint8_t>("wz", {}, {130});
    set_ints(file->node("ConvInteger", {"x", "w", "xz", "wz"}, "y"), "pads", {1, 1, 1, 1});
  }
  computed.input("xz", {}, onnx::TensorProto::UINT8);
  constant.constant<std::uint8_t>("xz", {}, {77});
  const auto x = some<std::uint8_t>(32, 9);
  EXPECT_EQ((run<std::int32_t, std::uint8_t>(computed, {x, {77}})), (run<std::int32_t, std::uint8_t>(constant, {x})));
}

TEST(Operators, MatMulWithZeroPointPerRow) {
  OnnxBuilder file;
  file.input("a", {2, 2}, onnx::TensorProto::UINT8).output("y");
  file.constant<std::uint8_t>("b", {2, 2}, {1, 2, 3, 4}).constant<std::uint8_t>("az", {2}, {5, 7});
  file.node("MatMulInteger", {"a", "b", "az"}, "y");
  // (10 - 5, 20 - 5) and (30 - 7, 40 - 7)
  EXPECT_THAT((run<std::int32_t, std::uint8_t>(file, {{10, 20, 30, 40}})),
              ElementsAre(5 + 45, 10 + 60, 23 + 99, 46 + 132));
}

TEST(Operators, ComputedIndicesAreChecked) {
  OnnxBuilder file;
  file.input("i", {2}, onnx::TensorProto::INT64).constant<float>("table", {3, 1}, {1, 2, 3}).output("y");
  file.node("Gather", {"table", "i"}, "y");
  EXPECT_THAT((run<float, std::int64_t>(file, {{2, -3}})), ElementsAre(3, 1));
  EXPECT_THROW((run<float, std::int64_t>(file, {{2, 3}})), GraphError);
  EXPECT_THROW((run<float, std::int64_t>(file, {{2, -4}})), GraphError);
}

TEST(Operators, IntegerDivisionByType) {
  OnnxBuilder file;
  file.input("a", {4}, onnx::TensorProto::INT32).constant<std::int32_t>("b", {4}, {3, 3, -3, -1}).output("y");
  file.node("Mod", {"a", "b"}, "y");
  EXPECT_THAT((run<std::int32_t, std::int32_t>(file, {{7, -7, 7, std::numeric_limits<std::int32_t>::min()}})),
              ElementsAre(1, 2, -2, 0));
}

/// h = tanh(x + h / 2) both ways, each sequence up to its length.
TEST(Operators, RecurrenceInBothDirections) {
  OnnxBuilder file;
  file.input("x", {3, 2, 1}).output("y");
  file.constant<float>("w", {2, 1, 1}, {1, 1})
      .constant<float>("r", {2, 1, 1}, {0.5F, 0.5F})
      .constant<std::int32_t>("n", {2}, {3, 2});
  auto& node = file.node("RNN", {"x", "w", "r", "", "n"}, "y");
  set_int(node, "hidden_size", 1);
  auto& direction = *node.add_attribute();
  direction.set_name("direction");
  direction.set_type(onnx::AttributeProto::STRING);
  direction.set_s("bidirectional");
  const Floats x = {1, 2, 3, 4, 5, 6};  // of step 0, 1, 2; two sequences
  const auto step = [](float input, float state) { return std::tanh(input + state / 2); };
  const float a0 = step(1, 0), a1 = step(3, a0), a2 = step(5, a1);
  const float b0 = step(2, 0), b1 = step(4, b0);
  const float c2 = step(5, 0), c1 = step(3, c2), c0 = step(1, c1);
  const float d1 = step(4, 0), d0 = step(2, d1);
  const Floats expected = {a0, b0, c0, d0, a1, b1, c1, d1, a2, 0, c2, 0};
  EXPECT_THAT((run<float, float>(file, {x})), Pointwise(FloatNear(1e-6F), expected));
}

TEST(Operators, EinsumWithDiagonalsEllipsesAndThreeOperands) {
  const auto equation = [](const char* text, const std::vector<std::vector<std::int64_t>>& shapes) {
    OnnxBuilder file;
    std::vector<std::string> names;
    std::vector<Floats> values;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      names.push_back(std::string(1, static_cast<char>('p' + i)));
      file.input(names.back(), shapes[i]);
      Floats counted(static_cast<std::size_t>(count(shapes[i])));
      for (std::size_t at = 0; at < counted.size(); ++at) {
        counted[at] = static_cast<float>(at + 1);
      }
      values.push_back(counted);
    }
    file.output("y");
    auto& attribute = *file.node("Einsum", names, "y").add_attribute();
    attribute.set_name("equation");
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(text);
    return run<float, float>(file, values);
  };
  EXPECT_THAT(equation("ii->i", {{2, 2}}), ElementsAre(1, 4));
  EXPECT_THAT(equation("ii", {{2, 2}}), ElementsAre(5));
  EXPECT_THAT(equation("ba", {{2, 2}}), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(equation("...i,...i->...", {{2, 2}, {2}}), ElementsAre(1 + 4, 3 + 8));
  EXPECT_THAT(equation("i,ij,j->", {{2}, {2, 2}, {2}}), ElementsAre(1 * (1 + 4) + 2 * (3 + 8)));
  EXPECT_THROW(equation("i,ij->k", {{2}, {2, 2}}), GraphError);
  EXPECT_THROW(equation("i1->i", {{2, 2}}), GraphError);
}

/// One operator unless the mean is a result, too; with and without summands.
TEST(Operators, LayerNormalizationAlongTheLastAxis) {
  constexpr std::int64_t kOpset = 17;
  for (const bool adds : {true, false}) {
    std::vector<Floats> results;
    for (const bool wants_mean : {false, true}) {
      OnnxBuilder file(kOpset);
      file.input("x", {2, 3, 5}).output("y");
      file.constant("gamma", {5}, some<float>(5, 2)).constant("beta", {5}, some<float>(5, 3));
      const std::vector<std::string> inputs = {"x", "gamma", "beta"};
      auto& node = file.node("LayerNormalization", {inputs.begin(), inputs.end() - (adds ? 0 : 1)}, "y");
      if (wants_mean) {
        node.add_output("mean");
        file.output("mean");
      }
      const Graph graph = file.import();
      EXPECT_EQ(graph.operators.size() == 1, !wants_mean);
      EXPECT_EQ(std::holds_alternative<LayerNormalize>(graph.operators[0].kind), !wants_mean);
      results.push_back(run<float>(file, std::vector<Floats>{some<float>(30)}));
    }
    EXPECT_THAT(results[0], Pointwise(FloatNear(1e-5F), results[1]));
  }
}

/// One operator along the last axis; of many neighbours the sums of shifted channels.
TEST(Operators, LocalResponseOfFewNeighboursIsOneOperator) {
  std::vector<Floats> results;
  for (const std::int64_t size : {8, 9}) {  // of three channels, so that both are the sums of all of them
    OnnxBuilder file;
    file.input("x", {1, 3, 2, 2}).output("y");
    auto& node = file.node("LRN", {"x"}, "y");
    set_int(node, "size", size);
    set_real(node, "alpha", static_cast<float>(size));
    const Graph graph = file.import();
    EXPECT_EQ(std::any_of(graph.operators.begin(), graph.operators.end(),
                          [](const Operator& op) { return std::holds_alternative<LocalResponse>(op.kind); }),
              size == 8);
    results.push_back(run<float>(file, std::vector<Floats>{some<float>(12)}));
  }
  EXPECT_THAT(results[0], Pointwise(FloatNear(1e-6F), results[1]));
}

TEST(Operators, LocalResponseBetweenQuantizationsIsQuantized) {
  OnnxBuilder file;
  file.input("x", {1, 3, 1, 1}, onnx::TensorProto::INT8).constant<float>("s", {}, {0.5F});
  file.constant<std::int8_t>("z", {}, {-3}).constant<float>("t", {}, {0.05F});
  file.node("DequantizeLinear", {"x", "s", "z"}, "a");
  auto& node = file.node("LRN", {"a"}, "b");
  set_int(node, "size", 3);
  set_real(node, "alpha", 3);
  file.output("y").node("QuantizeLinear", {"b", "t", "z"}, "y");
  const Graph graph = file.import();
  EXPECT_TRUE(std::any_of(graph.operators.begin(), graph.operators.end(), [&](const Operator& op) {
    return std::holds_alternative<LocalResponse>(op.kind) && graph.tensor(op.inputs[0]).type == ElementType::kInt8;
  }));
  // Of 2, 5 and -1: over 30, 31 and 27 to the power of 3/4, in steps of 0.05.
  EXPECT_THAT((run<std::int8_t, std::int8_t>(file, {{1, 7, -5}})), ElementsAre(-3 + 3, -3 + 8, -3 - 2));
}

TEST(Operators, LongExpandIsOneOperator) {
  OnnxBuilder file;
  file.input("x", {1, 2}).constant<std::int64_t>("n", {2}, {100000, 2}).output("y");
  file.node("Expand", {"x", "n"}, "y");
  EXPECT_EQ(file.import().operators.size(), 1U);
  EXPECT_THAT((run<float, float>(file, {{1, 2}})).size(), 200000U);
}

TEST(Operators, PowersBetweenQuantizationsStayFloat) {
  OnnxBuilder file;
  file.input("x", {2}, onnx::TensorProto::UINT8)
      .constant<float>("s", {}, {0.5F})
      .constant<std::uint8_t>("z", {}, {0})
      .constant<float>("two", {}, {2});
  file.node("DequantizeLinear", {"x", "s", "z"}, "a");
  file.node("Pow", {"a", "two"}, "b");
  file.node("QuantizeLinear", {"b", "s", "z"}, "y");
  EXPECT_THAT((run<std::uint8_t, std::uint8_t>(file.output("y"), {{4, 10}})), ElementsAre(8, 50));
}

TEST(Operators, GemmWithoutBetaReadsNoSummand) {
  OnnxBuilder file;
  file.input("a", {1, 2}).input("b", {2, 1}).constant<float>("c", {1}, {std::numeric_limits<float>::infinity()});
  set_real(file.output("y").node("Gemm", {"a", "b", "c"}, "y"), "beta", 0);
  EXPECT_THAT((run<float, float>(file, {{1, 2}, {3, 4}})), ElementsAre(11));
}

TEST(Operators, WideIntegersAreDequantizedInOneRounding) {
  OnnxBuilder file;
  file.input("x", {3}, onnx::TensorProto::INT32).input("scale", {}).output("y");
  file.input("zero", {}, onnx::TensorProto::INT32).node("DequantizeLinear", {"x", "scale", "zero"}, "y");
  const Graph graph = file.import();
  const std::vector<Value> results =
      execute(graph, {make_value(ElementType::kInt32, {3}, std::vector<std::int32_t>{16777219, 16777221, 2147483647}),
                      make_value(ElementType::kFloat32, {}, Floats{1}),
                      make_value(ElementType::kInt32, {}, std::vector<std::int32_t>{7})});
  EXPECT_THAT(elements<float>(results[0]), ElementsAre(16777212, 16777214, 2147483648.0F));
}

/// At the last pixel, the first one, and far outside.
TEST(Operators, SamplesLeaveOutPixelsOutsideOfTheImage) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  const auto sampled = [](const char* padding) {
    OnnxBuilder file(20);
    file.input("x", {1, 1, 1, 3}).input("grid", {1, 1, 3, 2}).output("y");
    auto& node = file.node("GridSample", {"x", "grid"}, "y");
    set_int(node, "align_corners", 1);
    set_text(node, "padding_mode", padding);
    return run<float, float>(file, {{-kInfinite, 0, kInfinite}, {1, 0, -1, 0, 9, 0}});
  };
  EXPECT_THAT(sampled("zeros"), ElementsAre(kInfinite, -kInfinite, 0));
  EXPECT_THAT(sampled("border"), ElementsAre(kInfinite, -kInfinite, kInfinite));
  EXPECT_THAT(sampled("reflection"), ElementsAre(kInfinite, -kInfinite, kInfinite));
}

/// A region outside of the image is 0, be the pixel next to it infinite, and so is what lies beyond the last pixel.
TEST(Operators, AlignsRegionsOutsideOfInfinitePixels) {
  OnnxBuilder file(16);
  file.input("x", {1, 1, 1, 2}).output("y").constant<float>("regions", {2, 4}, {9, 9, 10, 10, 1, 0, 2, 1});
  file.constant<std::int64_t>("images", {2}, {0, 0});
  set_int(file.node("RoiAlign", {"x", "regions", "images"}, "y"), "sampling_ratio", 1);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT((run<float, float>(file, {{1, infinity}})), ElementsAre(0, infinity));
}

TEST(Operators, RejectsParametersLargerThanTheirOperand) {
  OnnxBuilder product;
  product.input("a", {1, 2}).input("b", {2, 2}).input("c", {3, 1}).output("y").node("Gemm", {"a", "b", "c"}, "y");
  EXPECT_THROW(product.import(), GraphError);
  for (const char* type : {"LayerNormalization", "RMSNormalization"}) {
    OnnxBuilder normalization(23);
    normalization.input("x", {1, 2}).input("scale", {3, 1}).output("y").node(type, {"x", "scale"}, "y");
    EXPECT_THROW(normalization.import(), GraphError) << type;
  }
}

TEST(Operators, RejectsFunctionsOfInfiniteSlope) {
  for (const char* type : {"Elu", "LeakyRelu", "HardSigmoid"}) {
    OnnxBuilder file;
    set_real(file.input("x", {2}).output("y").node(type, {"x"}, "y"), "alpha", std::numeric_limits<float>::infinity());
    EXPECT_THROW(file.import(), GraphError) << type;
  }
}

TEST(Operators, RejectsOperandsWithoutAxis) {
  OnnxBuilder hot;
  hot.input("i", {2}, onnx::TensorProto::INT64).constant<std::int64_t>("n", {}, {3}).constant<float>("v", {}, {1});
  hot.node("OneHot", {"i", "n", "v"}, "y");
  EXPECT_THROW(hot.output("y").import(), GraphError);
  OnnxBuilder recurrent;
  recurrent.input("x", {3, 2, 1}).constant<float>("w", {}, {1}).constant<float>("r", {1, 1, 1}, {1});
  set_int(recurrent.node("RNN", {"x", "w", "r"}, "y"), "hidden_size", 1);
  EXPECT_THROW(recurrent.output("y").import(), GraphError);
}

TEST(Operators, RejectsTooManySteps) {
  OnnxBuilder file;
  file.input("x", {100000, 1, 1}).constant<float>("w", {1, 1, 1}, {1}).constant<float>("r", {1, 1, 1}, {1}).output("y");
  set_int(file.node("RNN", {"x", "w", "r"}, "y"), "hidden_size", 1);
  try {
    file.import();
    FAIL() << "not refused";
  } catch (const OnnxNotSupported& refused) {
    EXPECT_EQ(refused.reason(), OnnxRefusal::kTooLarge);
  }
}

}  // namespace
}  // namespace systole::graph::test
