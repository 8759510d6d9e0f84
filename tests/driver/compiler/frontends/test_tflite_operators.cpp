// SPDX-License-Identifier: Apache-2.0
// Each operator of a TensorFlow Lite file with options, imported and executed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "import_tflite.hpp"
#include "model_builder.hpp"
#include "systole/execute.hpp"
#include "systole/requantize.hpp"

namespace systole::graph::test {
namespace {

using Floats = std::vector<float>;
using format::Options;

/// 0, 1, 2, ...
Floats counting(std::size_t count) {
  Floats values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

/// A model of one operator; the first input is given, the others are constants.
struct OneOperator {
  Code code;
  std::vector<std::int32_t> input;
  std::vector<std::vector<std::int32_t>> outputs;
  std::vector<TensorSpec> constants = {};
  Options kind = Options::NONE;
  std::size_t input_position = 0;

  template <class Make>
  std::vector<Floats> run(const Floats& values, Make make_options) const {
    ModelBuilder m;
    const auto from = m.tensor({input});
    std::vector<std::int32_t> inputs;
    for (const TensorSpec& constant : constants) {
      inputs.push_back(m.tensor(constant));
    }
    inputs.insert(inputs.begin() + static_cast<std::ptrdiff_t>(input_position), from);
    std::vector<std::int32_t> to;
    for (const auto& shape : outputs) {
      to.push_back(m.tensor({shape}));
    }
    const flatbuffers::Offset<void> options = make_options(m.builder);
    m.op(code, inputs, to, kind, options);
    const Graph graph = import_tflite(m.finish({from}, to), "m");
    const Shape shape(input.begin(), input.end());
    std::vector<Floats> results;
    for (const Value& value : execute(graph, {make_value(ElementType::kFloat32, shape, values)})) {
      results.push_back(elements<float>(value));
    }
    return results;
  }
  std::vector<Floats> run(const Floats& values) const {
    return run(values, [](flatbuffers::FlatBufferBuilder&) { return flatbuffers::Offset<void>(); });
  }
};

TensorSpec ints(const std::vector<std::int32_t>& values) {
  return {{static_cast<std::int32_t>(values.size())}, ElementKind::INT32, bytes_of(values)};
}
TensorSpec floats(const std::vector<std::int32_t>& shape, const Floats& values) {
  return {shape, ElementKind::FLOAT32, bytes_of(values)};
}

TEST(Operators, SamePaddingPutsOddElementAtEnd) {
  // A kernel of ones over 4x4 ones: the padding of a stride of 2 is below and right.
  const OneOperator conv{Code::CONV_2D,
                         {1, 4, 4, 1},
                         {{1, 2, 2, 1}},
                         {floats({1, 3, 3, 1}, Floats(9, 1.0F)), floats({1}, {0.5F})},
                         Options::Conv2DOptions};
  const auto result = conv.run(
      Floats(16, 1.0F), [](auto& b) { return format::CreateConv2DOptions(b, format::Padding::SAME, 2, 2).Union(); });
  EXPECT_EQ(result[0], (Floats{9.5F, 6.5F, 6.5F, 4.5F}));
}

TEST(Operators, DepthwiseConvolutionWithTwoOutputsPerChannel) {
  // Weights 1HWO: outputs 0, 1 are of channel 0, outputs 2, 3 of channel 1.
  const OneOperator conv{Code::DEPTHWISE_CONV_2D,
                         {1, 1, 2, 2},
                         {{1, 1, 1, 4}},
                         {floats({1, 1, 2, 4}, {1, 2, 3, 4, 10, 20, 30, 40})},
                         Options::DepthwiseConv2DOptions};
  const auto result = conv.run({1, 2, 3, 4}, [](auto& b) {
    return format::CreateDepthwiseConv2DOptions(b, format::Padding::VALID, 1, 1, 2).Union();
  });
  EXPECT_EQ(result[0], (Floats{1 * 1 + 3 * 10, 1 * 2 + 3 * 20, 2 * 3 + 4 * 30, 2 * 4 + 4 * 40}));
}

TEST(Operators, DenseLayersFlattenImagesOrKeepDimensions) {
  const auto options = [](auto& b) { return format::CreateFullyConnectedOptions(b).Union(); };
  const TensorSpec weights = floats({2, 4}, {1, 0, 0, 0, 1, 1, 1, 1});
  const OneOperator image{Code::FULLY_CONNECTED, {1, 2, 2, 1}, {{1, 2}}, {weights}, Options::FullyConnectedOptions};
  EXPECT_EQ(image.run({1, 2, 3, 4}, options)[0], (Floats{1, 10}));
  const OneOperator kept{Code::FULLY_CONNECTED, {1, 2, 4}, {{1, 2, 2}}, {weights}, Options::FullyConnectedOptions};
  EXPECT_EQ(kept.run(counting(8), options)[0], (Floats{0, 6, 4, 22}));
  const OneOperator arranged{Code::FULLY_CONNECTED, {2, 4}, {{2, 1, 1, 2}}, {weights}, Options::FullyConnectedOptions};
  EXPECT_EQ(arranged.run(counting(8), options)[0], (Floats{0, 6, 4, 22}));
}

TEST(Operators, Pools) {
  const auto options = [](auto& b) {
    return format::CreatePool2DOptions(b, format::Padding::SAME, 2, 2, 2, 2).Union();
  };
  const OneOperator most{Code::MAX_POOL_2D, {1, 3, 3, 1}, {{1, 2, 2, 1}}, {}, Options::Pool2DOptions};
  EXPECT_EQ(most.run(counting(9), options)[0], (Floats{4, 5, 7, 8}));
  OneOperator mean = most;
  mean.code = Code::AVERAGE_POOL_2D;
  EXPECT_EQ(mean.run(counting(9), options)[0], (Floats{2, 3.5F, 6.5F, 8}));  // elements outside are not counted
}

TEST(Operators, BatchMatrixProductTransposes) {
  const OneOperator product{
      Code::BATCH_MATMUL, {2, 1, 2}, {{2, 1, 3}}, {floats({3, 2}, {1, 2, 3, 4, 5, 6})}, Options::BatchMatMulOptions};
  const auto result =
      product.run({1, 0, 0, 1}, [](auto& b) { return format::CreateBatchMatMulOptions(b, false, true).Union(); });
  EXPECT_EQ(result[0], (Floats{1, 3, 5, 2, 4, 6}));
}

TEST(Operators, ArithmeticBroadcasts) {
  const auto result = [](Code code) {
    return OneOperator{code, {2, 2}, {{2, 2}}, {floats({2}, {1, 2})}}.run({0, 1, 2, 3})[0];
  };
  EXPECT_EQ(result(Code::ADD), (Floats{1, 3, 3, 5}));
  EXPECT_EQ(result(Code::SUB), (Floats{-1, -1, 1, 1}));
  EXPECT_EQ(result(Code::MUL), (Floats{0, 2, 2, 6}));
  EXPECT_EQ(result(Code::MAXIMUM), (Floats{1, 2, 2, 3}));
  EXPECT_EQ(result(Code::MINIMUM), (Floats{0, 1, 1, 2}));
  const OneOperator clamped{Code::ADD, {2, 2}, {{2, 2}}, {floats({2}, {-9, 9})}, Options::AddOptions};
  EXPECT_EQ(clamped.run({0, 1, 2, 3},
                        [](auto& b) { return format::CreateAddOptions(b, format::FusedActivation::RELU6).Union(); })[0],
            (Floats{0, 6, 0, 6}));
}

TEST(Operators, Functions) {
  const auto result = [](Code code) { return OneOperator{code, {5}, {{5}}}.run({-8, -0.5F, 0, 2, 8})[0]; };
  EXPECT_EQ(result(Code::RELU), (Floats{0, 0, 0, 2, 8}));
  EXPECT_EQ(result(Code::RELU6), (Floats{0, 0, 0, 2, 6}));
  EXPECT_EQ(result(Code::RELU_N1_TO_1), (Floats{-1, -0.5F, 0, 1, 1}));
  EXPECT_FLOAT_EQ(result(Code::LOGISTIC)[3], 0.880797F);
  EXPECT_FLOAT_EQ(result(Code::TANH)[1], -0.46211717F);
  EXPECT_FLOAT_EQ(result(Code::HARD_SWISH)[3], 2.0F * 5.0F / 6.0F);
  const OneOperator leaky{Code::LEAKY_RELU, {3}, {{3}}, {}, Options::LeakyReluOptions};
  EXPECT_EQ(leaky.run({-8, 0, 8}, [](auto& b) { return format::CreateLeakyReluOptions(b, 0.25F).Union(); })[0],
            (Floats{-2, 0, 8}));
  const OneOperator softmax{Code::SOFTMAX, {1, 2}, {{1, 2}}, {}, Options::SoftmaxOptions};
  EXPECT_FLOAT_EQ(softmax.run({0, 1}, [](auto& b) { return format::CreateSoftmaxOptions(b, 2.0F).Union(); })[0][1],
                  0.880797F);
}

TEST(Operators, MeanOverNegativeAndRepeatedAxes) {
  const OneOperator mean{Code::MEAN, {1, 2, 2, 2}, {{1, 2}}, {ints({1, -2, 2})}, Options::ReducerOptions};
  EXPECT_EQ(mean.run(counting(8), [](auto& b) { return format::CreateReducerOptions(b, false).Union(); })[0],
            (Floats{3, 4}));
}

TEST(Operators, PaddingWithZeroAndWithAValue) {
  const OneOperator zero{Code::PAD, {2}, {{4}}, {ints({1, 1})}};
  EXPECT_EQ(zero.run({5, 6})[0], (Floats{0, 5, 6, 0}));
  const OneOperator value{Code::PADV2, {2}, {{3}}, {ints({0, 1}), floats({1}, {7})}};
  EXPECT_EQ(value.run({5, 6})[0], (Floats{5, 6, 7}));
}

TEST(Operators, BordersAreTheZeroPoint) {
  // 3, 4 with an element before and after them: the border of a quantized tensor stands for the real number 0.
  const auto bytes_with_border = [](Code code, ElementKind type, ElementType element, const Bytes& inner, int zero) {
    ModelBuilder m;
    const auto quantized = [&](const std::vector<std::int32_t>& shape) {
      return m.tensor({shape, type, {}, {0.5F}, {zero}});
    };
    const bool pads = code == Code::PAD;
    const auto input = quantized({1, 2, 1});
    const auto output = quantized(pads ? std::vector<std::int32_t>{1, 4, 1} : std::vector<std::int32_t>{2, 2, 1});
    const auto edges = m.tensor({{pads ? 3 : 1, 2},
                                 ElementKind::INT32,
                                 bytes_of<std::int32_t>(pads ? std::vector{0, 0, 1, 1, 0, 0} : std::vector{1, 1})});
    const auto block = m.tensor({{1}, ElementKind::INT32, bytes_of<std::int32_t>({2})});
    m.op(code, pads ? std::vector{input, edges} : std::vector{input, block, edges}, {output});
    return execute(import_tflite(m.finish({input}, {output}), "m"), {Value{element, {1, 2, 1}, inner}})[0].data;
  };
  const auto padded = [&](ElementKind type, ElementType element, const Bytes& inner, int zero) {
    return bytes_with_border(Code::PAD, type, element, inner, zero);
  };
  const auto in_blocks = [&](ElementKind type, ElementType element, const Bytes& inner, int zero) {
    return bytes_with_border(Code::SPACE_TO_BATCH_ND, type, element, inner, zero);
  };
  EXPECT_EQ(padded(ElementKind::INT8, ElementType::kInt8, {3, 4}, -7), (Bytes{249, 3, 4, 249}));
  EXPECT_EQ(padded(ElementKind::UINT8, ElementType::kUint8, {3, 4}, 200), (Bytes{200, 3, 4, 200}));
  EXPECT_EQ(padded(ElementKind::INT16, ElementType::kInt16, {3, 0, 4, 0}, 0), (Bytes{0, 0, 3, 0, 4, 0, 0, 0}));
  // The batches are the even and the odd places.
  EXPECT_EQ(in_blocks(ElementKind::INT8, ElementType::kInt8, {3, 4}, -7), (Bytes{249, 4, 3, 249}));
  EXPECT_EQ(in_blocks(ElementKind::UINT8, ElementType::kUint8, {3, 4}, 200), (Bytes{200, 4, 3, 200}));
  EXPECT_EQ(in_blocks(ElementKind::INT16, ElementType::kInt16, {3, 0, 4, 0}, 0), (Bytes{0, 0, 4, 0, 3, 0, 0, 0}));
}

TEST(Operators, ShapesAndOrder) {
  EXPECT_EQ((OneOperator{Code::RESHAPE, {2, 3}, {{6}}, {ints({-1})}}.run(counting(6))[0]), counting(6));
  EXPECT_EQ((OneOperator{Code::SQUEEZE, {1, 3, 1}, {{3}}}.run(counting(3))[0]), counting(3));
  EXPECT_EQ((OneOperator{Code::EXPAND_DIMS, {3}, {{1, 3}}, {ints({0})}}.run(counting(3))[0]), counting(3));
  EXPECT_EQ((OneOperator{Code::TRANSPOSE, {2, 3}, {{3, 2}}, {ints({1, 0})}}.run(counting(6))[0]),
            (Floats{0, 3, 1, 4, 2, 5}));
  const OneOperator joined{
      Code::CONCATENATION, {2, 1}, {{2, 3}}, {floats({2, 2}, {7, 8, 9, 10})}, Options::ConcatenationOptions};
  EXPECT_EQ(joined.run({0, 1}, [](auto& b) { return format::CreateConcatenationOptions(b, -1).Union(); })[0],
            (Floats{0, 7, 8, 1, 9, 10}));
}

TEST(Operators, Splits) {
  const OneOperator even{Code::SPLIT, {2, 2}, {{2, 1}, {2, 1}}, {ints({1})}, Options::NONE, 1};
  EXPECT_THAT(even.run(counting(4)), testing::ElementsAre(Floats{0, 2}, Floats{1, 3}));
  const OneOperator uneven{Code::SPLIT_V, {3, 1}, {{1, 1}, {2, 1}}, {ints({1, 2}), ints({0})}};
  EXPECT_THAT(uneven.run(counting(3)), testing::ElementsAre(Floats{0}, Floats{1, 2}));
}

TEST(Operators, Slices) {
  const OneOperator slice{Code::SLICE, {3, 3}, {{2, 1}}, {ints({1, 1}), ints({-1, 1})}};
  EXPECT_EQ(slice.run(counting(9))[0], (Floats{4, 7}));
  const auto strided = [](const std::vector<std::int32_t>& shape, const std::vector<std::int32_t>& begin,
                          const std::vector<std::int32_t>& end, const std::vector<std::int32_t>& step, int begin_mask,
                          int end_mask, int shrink) {
    const OneOperator op{
        Code::STRIDED_SLICE, {3, 4}, {shape}, {ints(begin), ints(end), ints(step)}, Options::StridedSliceOptions};
    return op.run(counting(12), [&](auto& b) {
      return format::CreateStridedSliceOptions(b, begin_mask, end_mask, 0, 0, shrink).Union();
    })[0];
  };
  EXPECT_EQ(strided({2, 2}, {0, 0}, {2, 4}, {1, 2}, 0, 0, 0), (Floats{0, 2, 4, 6}));
  EXPECT_EQ(strided({3, 2}, {9, 3}, {9, -5}, {1, -2}, 1, 1, 0), (Floats{3, 1, 7, 5, 11, 9}));  // masks, a negative step
  EXPECT_EQ(strided({4}, {-1, 0}, {0, 4}, {1, 1}, 0, 0, 1), (Floats{8, 9, 10, 11}));  // the last row, without its axis
  EXPECT_THROW(strided({1, 1}, {2, 0}, {1, 4}, {1, 1}, 0, 0, 0), GraphError);         // nothing is left
  EXPECT_THROW(strided({4}, {3, 0}, {4, 4}, {1, 1}, 0, 0, 1), GraphError);            // a row that is not there
}

TEST(Operators, NearestNeighbours) {
  const OneOperator resize{Code::RESIZE_NEAREST_NEIGHBOR,
                           {1, 1, 2, 1},
                           {{1, 1, 3, 1}},
                           {ints({1, 3})},
                           Options::ResizeNearestNeighborOptions};
  const auto result = [&](bool align, bool half) {
    return resize.run({5, 6},
                      [&](auto& b) { return format::CreateResizeNearestNeighborOptions(b, align, half).Union(); })[0];
  };
  EXPECT_EQ(result(false, false), (Floats{5, 5, 6}));
  EXPECT_EQ(result(true, false), (Floats{5, 6, 6}));
  EXPECT_EQ(result(false, true), (Floats{5, 6, 6}));
}

TEST(Operators, QuantizeAndBack) {
  ModelBuilder m;
  const auto input = m.tensor({{4}});
  const auto byte = m.tensor({{4}, ElementKind::UINT8, {}, {0.5F}, {10}});
  const auto other = m.tensor({{4}, ElementKind::INT8, {}, {0.25F}, {-100}});
  const auto output = m.tensor({{4}});
  m.op(Code::QUANTIZE, {input}, {byte});
  m.op(Code::QUANTIZE, {byte}, {other});
  m.op(Code::DEQUANTIZE, {other}, {output});
  const Graph graph = import_tflite(m.finish({input}, {byte, other, output}), "m");
  const auto results = execute(graph, {make_value(ElementType::kFloat32, {4}, Floats{0.25F, -0.25F, 1000, -1000})});
  EXPECT_EQ(results[0].data, (Bytes{11, 9, 255, 0}));  // ties away from zero
  EXPECT_EQ(elements<std::int8_t>(results[1]), (std::vector<std::int8_t>{-98, -102, 127, -120}));
  EXPECT_EQ(elements<float>(results[2]), (Floats{0.5F, -0.5F, 56.75F, -5}));
}

TEST(Operators, WholeModelIsAsDescribed) {
  const Graph graph = import_tflite(small_model(), "small");
  ASSERT_EQ(graph.operators.size(), 2U);
  EXPECT_EQ(graph.operators[0].origin, "CONV_2D");
  EXPECT_EQ(graph.operators[1].name, "t4");
  EXPECT_EQ(useful_macs(graph, graph.operators[0]), 9U * 4U * 18U);
  const auto& conv = std::get<Conv2d>(graph.operators[0].kind);
  EXPECT_EQ(conv.window.pad_top, 1);
  EXPECT_EQ(conv.window.pad_bottom, 1);
  EXPECT_EQ(conv.activation, Activation::kRelu6);
}

TEST(Operators, DifferencesQuotientsAndSlopes) {
  const auto result = [](Code code) {
    return OneOperator{code, {4}, {{4}}, {floats({4}, {2, 2, -4, 3})}}.run({-3, 5, 6, 0})[0];
  };
  EXPECT_EQ(result(Code::SQUARED_DIFFERENCE), (Floats{25, 9, 100, 9}));
  EXPECT_EQ(result(Code::FLOOR_DIV), (Floats{-2, 2, -2, 0}));
  EXPECT_EQ(result(Code::FLOOR_MOD), (Floats{1, 1, -2, 0}));
  EXPECT_EQ(result(Code::PRELU), (Floats{-6, 5, 6, 0}));
  EXPECT_EQ(result(Code::DIV), (Floats{-1.5F, 2.5F, -1.5F, 0}));
}

TEST(Operators, RootsAndLogarithms) {
  const auto result = [](Code code) { return OneOperator{code, {2}, {{2}}}.run({4, 0.25F})[0]; };
  EXPECT_EQ(result(Code::SQRT), (Floats{2, 0.5F}));
  EXPECT_EQ(result(Code::RSQRT), (Floats{0.5F, 2}));
  EXPECT_EQ(result(Code::SQUARE), (Floats{16, 0.0625F}));
  EXPECT_EQ(result(Code::NEG), (Floats{-4, -0.25F}));
  EXPECT_FLOAT_EQ(result(Code::LOG)[0], 1.3862944F);
  EXPECT_FLOAT_EQ(result(Code::EXP)[1], 1.2840254F);
  EXPECT_FLOAT_EQ(result(Code::LOG_SOFTMAX)[1], -3.7732457F);
  EXPECT_FLOAT_EQ(result(Code::L2_NORMALIZATION)[0], 0.99805260F);
  EXPECT_EQ((OneOperator{Code::L2_NORMALIZATION, {2}, {{2}}}.run({0, 0})[0]), (Floats{0, 0}));
}

TEST(Operators, Reductions) {
  const auto result = [](Code code) {
    const OneOperator op{code, {2, 3}, {{2}}, {ints({-1})}, Options::ReducerOptions};
    return op.run({1, 2, 3, 4, 5, 6}, [](auto& b) { return format::CreateReducerOptions(b, false).Union(); })[0];
  };
  EXPECT_EQ(result(Code::SUM), (Floats{6, 15}));
  EXPECT_EQ(result(Code::REDUCE_MAX), (Floats{3, 6}));
  EXPECT_EQ(result(Code::REDUCE_MIN), (Floats{1, 4}));
  EXPECT_EQ(result(Code::REDUCE_PROD), (Floats{6, 120}));
}

TEST(Operators, TileBroadcastAndReverse) {
  EXPECT_EQ((OneOperator{Code::TILE, {1, 2}, {{2, 4}}, {ints({2, 2})}}.run({1, 2})[0]),
            (Floats{1, 2, 1, 2, 1, 2, 1, 2}));
  EXPECT_EQ((OneOperator{Code::BROADCAST_TO, {2, 1}, {{2, 2, 2}}, {ints({2, 2, 2})}}.run({1, 2})[0]),
            (Floats{1, 1, 2, 2, 1, 1, 2, 2}));
  EXPECT_EQ((OneOperator{Code::REVERSE_V2, {2, 2}, {{2, 2}}, {ints({1})}}.run(counting(4))[0]), (Floats{1, 0, 3, 2}));
  EXPECT_THROW((OneOperator{Code::TILE, {1, 2}, {{2, 4}}, {ints({2, 1 << 20})}}.run({1, 2})), GraphError);
  EXPECT_THROW((OneOperator{Code::BROADCAST_TO, {2}, {{3}}, {ints({3})}}.run({1, 2})), GraphError);
}

TEST(Operators, GatherNd) {
  const TensorSpec places{{2, 2}, ElementKind::INT32, bytes_of<std::int32_t>({1, 0, 0, 1})};
  EXPECT_EQ((OneOperator{Code::GATHER_ND, {2, 2, 2}, {{2, 2}}, {places}}.run(counting(8))[0]), (Floats{4, 5, 2, 3}));
  const TensorSpec outside{{1, 2}, ElementKind::INT32, bytes_of<std::int32_t>({1, 2})};
  EXPECT_THROW((OneOperator{Code::GATHER_ND, {2, 2, 2}, {{1, 2}}, {outside}}.run(counting(8))), GraphError);
  EXPECT_THROW((OneOperator{Code::GATHER_ND, {2}, {{1}}, {outside}}.run(counting(2))), GraphError);
}

TEST(Operators, FoldsShapes) {
  // A reshape to the result of SHAPE, reversed by STRIDED_SLICE: everything is folded.
  ModelBuilder m;
  const auto image = m.tensor({{2, 3}});
  const auto shape = m.tensor({{2}, ElementKind::INT32});
  const auto turned = m.tensor({{2}, ElementKind::INT32});
  const auto padded = m.tensor({{2, 3}});
  const auto axes = m.tensor(ints({0}));
  m.op(Code::SHAPE, {image}, {shape});
  m.op(Code::REVERSE_V2, {shape, axes}, {turned});
  m.op(Code::BROADCAST_TO, {image, shape}, {padded});
  const Graph graph = import_tflite(m.finish({image}, {padded, turned}), "m");
  EXPECT_EQ(graph.operators.size(), 1U);
  const std::vector<Value> results = execute(graph, {make_value(ElementType::kFloat32, {2, 3}, counting(6))});
  EXPECT_EQ(elements<float>(results[0]), counting(6));
  EXPECT_EQ(elements<std::int32_t>(results[1]), (std::vector<std::int32_t>{3, 2}));
}

TEST(Operators, CastsOnlyPlainNumbers) {
  const auto graph_of = [](ElementKind from, ElementKind to, const std::vector<float>& scale) {
    ModelBuilder m;
    const auto input = m.tensor({{3}, from});
    const auto output = m.tensor({{3}, to, {}, scale, std::vector<std::int64_t>(scale.size())});
    m.op(Code::CAST, {input}, {output});
    return import_tflite(m.finish({input}, {output}), "m");
  };
  const auto numbers = execute(graph_of(ElementKind::UINT8, ElementKind::FLOAT32, {}),
                               {make_value(ElementType::kUint8, {3}, Bytes{0, 7, 255})});
  EXPECT_EQ(elements<float>(numbers[0]), (Floats{0, 7, 255}));
  const auto cut = execute(graph_of(ElementKind::FLOAT32, ElementKind::INT8, {}),
                           {make_value(ElementType::kFloat32, {3}, Floats{1.9F, -1.9F, 300})});
  EXPECT_EQ(elements<std::int8_t>(cut[0]), (std::vector<std::int8_t>{1, -1, 127}));
  const auto dropped = execute(graph_of(ElementKind::INT32, ElementKind::INT8, {}),
                               {make_value(ElementType::kInt32, {3}, std::vector<std::int32_t>{1, 300, -129})});
  EXPECT_EQ(elements<std::int8_t>(dropped[0]), (std::vector<std::int8_t>{1, 44, 127}));
  EXPECT_THROW(graph_of(ElementKind::FLOAT32, ElementKind::INT8, {0.5F}), GraphError);
}

TEST(Operators, Uint8Convolution) {
  // uint8 with zero points of input, weights and result; the scales of input and weights are multiplied in float32.
  constexpr float kInput = 0.037F, kWeights = 0.0123F, kOutput = 0.0511F;
  const std::vector<std::uint8_t> weights = {7, 200, 151, 0, 255, 90};
  ModelBuilder m;
  const auto input = m.tensor({{1, 1, 2, 3}, ElementKind::UINT8, {}, {kInput}, {128}});
  const auto filter = m.tensor({{2, 1, 1, 3}, ElementKind::UINT8, bytes_of(weights), {kWeights}, {151}});
  const auto bias = m.tensor({{2}, ElementKind::INT32, bytes_of<std::int32_t>({100, -3000}), {kInput * kWeights}, {0}});
  const auto output = m.tensor({{1, 1, 2, 2}, ElementKind::UINT8, {}, {kOutput}, {40}});
  m.op(Code::CONV_2D, {input, filter, bias}, {output}, Options::Conv2DOptions,
       format::CreateConv2DOptions(m.builder, format::Padding::SAME, 1, 1, format::FusedActivation::RELU6).Union());
  const Graph graph = import_tflite(m.finish({input}, {output}), "m");
  const Bytes image = {0, 255, 131, 77, 12, 250};
  const float product = kInput * kWeights;
  const QuantParam scale = quantize_multiplier(double{product} / double{kOutput});
  Bytes expected;
  for (std::size_t pixel = 0; pixel < 2; ++pixel) {
    for (std::size_t channel = 0; channel < 2; ++channel) {
      std::int32_t sum = channel == 0 ? 100 : -3000;
      for (std::size_t i = 0; i < 3; ++i) {
        sum += (image[pixel * 3 + i] - 128) * (weights[channel * 3 + i] - 151);
      }
      const std::int64_t value = multiply_by_quantized_multiplier(sum, scale, Rounding::kDouble) + 40;
      expected.push_back(static_cast<std::uint8_t>(std::clamp<std::int64_t>(value, 40, 40 + 117)));  // 6 / 0.0511
    }
  }
  EXPECT_EQ(execute(graph, {make_value(ElementType::kUint8, {1, 1, 2, 3}, image)})[0].data, expected);
}

}  // namespace
}  // namespace systole::graph::test
