// SPDX-License-Identifier: Apache-2.0
// Files that are damaged, hostile, or unsupported: each gives a GraphError with a message, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "graph_listing.hpp"
#include "import_tflite.hpp"
#include "model_builder.hpp"

namespace systole::graph::test {
namespace {

/// The error message, or "nothing".
std::string complaint(const Bytes& bytes) {
  try {
    to_json(import_tflite(bytes, "m"));
    return "nothing";
  } catch (const GraphError& error) {
    return error.what();
  }
}

using testing::HasSubstr;

TEST(Malformed, UndamagedModelIsValid) { EXPECT_EQ(complaint(small_model()), "nothing"); }

TEST(Malformed, RejectsEveryTruncation) {
  const Bytes bytes = small_model();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(complaint(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))), "nothing") << size;
  }
}

RC_GTEST_PROP(Malformed, FlippedBitsGiveAGraphOrAnError, ()) {
  Bytes bytes = small_model();
  const auto flips = *rc::gen::inRange(1, 6);
  for (int i = 0; i < flips; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1U << *rc::gen::inRange(0, 8));
  }
  complaint(bytes);
}

TEST(Malformed, FlippedBitGivesErrorOrGraph) {
  const Bytes bytes = small_model();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const unsigned value : {0x01U, 0x80U, 0xFFU}) {
      Bytes damaged = bytes;
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ value);
      complaint(damaged);
    }
  }
}

RC_GTEST_PROP(Malformed, RandomBytesAreRefused, (std::vector<std::uint8_t> bytes)) {
  RC_ASSERT(complaint(bytes) != "nothing");
}

TEST(Malformed, OtherFilesAndVersions) {
  EXPECT_THAT(complaint({}), HasSubstr("not a TensorFlow Lite file"));
  EXPECT_THAT(complaint({0x1C, 0, 0, 0, 'T', 'F', 'L', '3'}), HasSubstr("truncated or damaged"));
  ModelBuilder m;
  m.version = 2;
  EXPECT_THAT(complaint(m.finish({}, {})), HasSubstr("version 2"));
  EXPECT_THAT(complaint(ModelBuilder().finish({}, {})), HasSubstr("no outputs"));
}

const TensorSpec kFloats{{4}};

/// A model of one element-wise operator from `input` to `output`.
std::string complaint_of(const TensorSpec& input, const TensorSpec& output, Code code = Code::RELU) {
  ModelBuilder m;
  const auto from = m.tensor(input);
  const auto to = m.tensor(output);
  m.op(code, {from}, {to});
  return complaint(m.finish({from}, {to}));
}

TEST(Malformed, Tensors) {
  EXPECT_EQ(complaint_of(kFloats, kFloats), "nothing");
  EXPECT_THAT(complaint_of({{-1, 3}}, kFloats), HasSubstr("tensor 0 't0': dimension 0 is -1"));
  EXPECT_THAT(complaint_of({{3, 0}}, kFloats), HasSubstr("dimension 1 is 0"));
  EXPECT_THAT(complaint_of({{1, 1, 1, 1, 1, 1, 1, 1, 1}}, kFloats), HasSubstr("9 dimensions"));
  const int most = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT(complaint_of({{most, most, most, most}}, kFloats), HasSubstr("more than 2^63 - 1 elements"));
  EXPECT_THAT(complaint_of({{most, 2}}, {{most, 2}}), HasSubstr("larger than 2147483647 bytes"));
  EXPECT_THAT(complaint_of({{4}, ElementKind::STRING}, kFloats), HasSubstr("element type STRING is not supported"));
  EXPECT_THAT(complaint_of({{4}, static_cast<ElementKind>(99)}, kFloats), HasSubstr("element type number 99"));
  TensorSpec variable = kFloats;
  variable.variable = true;
  EXPECT_THAT(complaint_of(variable, kFloats), HasSubstr("variables are supported only as the state"));
  TensorSpec nowhere = kFloats;
  nowhere.buffer = 77;
  EXPECT_THAT(complaint_of(nowhere, kFloats), HasSubstr("buffer 77 of 1 does not exist"));
  EXPECT_THAT(complaint_of({{4}, ElementKind::FLOAT32, Bytes(15)}, kFloats), HasSubstr("its buffer has 15 bytes"));
  EXPECT_THAT(complaint_of({{5}}, kFloats), HasSubstr("expected shape 5, from its inputs"));
}

TEST(Malformed, Quantization) {
  const auto with = [](std::vector<float> scale, std::vector<std::int64_t> zero_point, int axis = 0) {
    const TensorSpec spec{{2, 4}, ElementKind::INT8, {}, std::move(scale), std::move(zero_point), axis};
    return complaint_of(spec, spec);
  };
  EXPECT_EQ(with({0.5F}, {0}), "nothing");
  for (const float scale : {0.0F, -1.0F, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    EXPECT_THAT(with({scale}, {0}), HasSubstr("scales must be positive and finite"));
  }
  EXPECT_THAT(with({0.5F}, {300}), HasSubstr("zero point 300; the range is -128 .. 127"));
  EXPECT_THAT(with({0.5F}, {std::int64_t{1} << 40}), HasSubstr("zero point 1099511627776 is out of range"));
  EXPECT_THAT(with({0.5F, 0.5F, 0.5F}, {0, 0, 0}, 1), HasSubstr("3 scales for 4 channels"));
  EXPECT_THAT(with({0.5F, 0.5F}, {0, 0, 0}), HasSubstr("2 scales and 3 zero points"));
  EXPECT_THAT(with({0.5F, 0.5F}, {0, 0}, 9), HasSubstr("axis 9 of 2 dimensions"));
  EXPECT_THAT(with({0.5F, 0.5F}, {0, 0}), HasSubstr("needs one scale, not one per channel"));
  EXPECT_THAT(complaint_of({{4}, ElementKind::INT8}, {{4}, ElementKind::INT8}), HasSubstr("integers need a scale"));
}

TEST(Malformed, OperatorsAndTheirTensors) {
  const auto one = [](Code code, const std::vector<std::int32_t>& inputs, const std::vector<std::int32_t>& outputs) {
    ModelBuilder m;
    m.tensor(kFloats);
    m.tensor(kFloats);
    m.op(code, inputs, outputs);
    return complaint(m.finish({0}, {1}));
  };
  EXPECT_EQ(one(Code::RELU, {0}, {1}), "nothing");
  EXPECT_THAT(one(Code::LSTM, {0}, {1}), HasSubstr("operator 0 (LSTM): is not supported"));
  EXPECT_THAT(one(static_cast<Code>(4000), {0}, {1}), HasSubstr("operator 0 (operator number 4000)"));
  EXPECT_THAT(one(Code::RELU, {2}, {1}), HasSubstr("operator 0 (RELU): tensor 2 of 2 does not exist"));
  EXPECT_THAT(one(Code::RELU, {-2}, {1}), HasSubstr("tensor -2 of 2"));
  EXPECT_THAT(one(Code::RELU, {-1}, {1}), HasSubstr("input 0 is missing"));
  EXPECT_THAT(one(Code::ADD, {0}, {1}), HasSubstr("input 1 is missing"));
  EXPECT_THAT(one(Code::RELU, {0}, {}), HasSubstr("output 0 is missing"));
  EXPECT_THAT(one(Code::RELU, {0}, {0}),
              HasSubstr("operators form a cycle: operator 0 (RELU) depends on its own result"));
  EXPECT_THAT(one(Code::RELU, {1}, {1}), HasSubstr("operator 0 (RELU) depends on its own result"));
  EXPECT_THAT(one(Code::SOFTMAX, {0}, {1}), HasSubstr("its options are missing"));
  EXPECT_THAT(one(Code::TRANSPOSE, {0, 0}, {1}),
              HasSubstr("the permutation (tensor 't0' (4 float32)) must be constant, int32 or int64"));
  ModelBuilder joined;
  joined.tensor(kFloats);
  joined.op(Code::CONCATENATION, {}, {0}, format::Options::ConcatenationOptions,
            format::CreateConcatenationOptions(joined.builder, 0).Union());
  EXPECT_THAT(complaint(joined.finish({}, {0})), HasSubstr("Concat has 0 inputs; expected 1 .."));
  ModelBuilder m;
  m.tensor(kFloats);
  m.tensor(kFloats);
  m.op_of_code(5, {0}, {1});
  EXPECT_THAT(complaint(m.finish({0}, {1})), HasSubstr("operator code 5 of 0"));
}

TEST(Malformed, CustomOperatorsAndExternalBuffers) {
  ModelBuilder m;
  m.custom = "Mine";
  m.tensor(kFloats);
  m.tensor(kFloats);
  m.op(Code::CUSTOM, {0}, {1});
  EXPECT_THAT(complaint(m.finish({0}, {1})), HasSubstr("operator 0 (custom operator 'Mine'): is not supported"));
  ModelBuilder external;
  external.external_offset = 4096;
  external.tensor(kFloats);
  external.tensor({{4}, ElementKind::FLOAT32, Bytes(16)});
  external.tensor(kFloats);
  external.op(Code::ADD, {0, 1}, {2});
  EXPECT_THAT(complaint(external.finish({0}, {2})), HasSubstr("buffer 1 is after the tables"));
}

TEST(Malformed, Cycles) {
  ModelBuilder m;
  for (int i = 0; i < 4; ++i) {
    m.tensor(kFloats);
  }
  m.op(Code::ADD, {0, 2}, {1});
  m.op(Code::RELU, {1}, {2});
  EXPECT_THAT(complaint(m.finish({0}, {2})),
              HasSubstr("operator 0 (ADD) depends on operator 1 (RELU), which depends on operator 0 (ADD)"));
}

TEST(Malformed, OperatorsInAnyOrder) {
  ModelBuilder m;
  for (int i = 0; i < 3; ++i) {
    m.tensor(kFloats);
  }
  m.op(Code::RELU, {1}, {2});
  m.op(Code::TANH, {0}, {1});
  const Graph graph = import_tflite(m.finish({0}, {2}), "m");
  ASSERT_EQ(graph.operators.size(), 2U);
  EXPECT_EQ(graph.operators[0].origin, "TANH");
  EXPECT_EQ(graph.operators[1].origin, "RELU");
}

TEST(Malformed, ReportsAllObstacles) {
  ModelBuilder m;
  for (int i = 0; i < 5; ++i) {
    m.tensor(kFloats);
  }
  m.op(Code::RELU, {0}, {1});
  m.op(Code::LSTM, {1}, {2});
  m.op(Code::TANH, {2}, {3});
  m.op(Code::LSTM, {3}, {4});
  const ModelContents contents = read_tflite(m.finish({0}, {4}), "m");
  ASSERT_EQ(contents.obstacles.size(), 2U);
  EXPECT_EQ(contents.obstacles[0].place, 1);
  EXPECT_EQ(contents.obstacles[0].type, "LSTM");
  EXPECT_EQ(contents.obstacles[0].name, "t2");
  EXPECT_EQ(contents.obstacles[0].kind, "unknown operator");
  EXPECT_EQ(contents.obstacles[1].place, 3);
  // The file has the shapes of all results: operators in between can be read.
  ASSERT_EQ(contents.graph.operators.size(), 2U);
  EXPECT_EQ(contents.graph.operators[1].origin, "TANH");
  EXPECT_EQ(contents.places.at(contents.graph.operators[1].name), 2);
  EXPECT_NO_THROW(validate(contents.graph));
}

TEST(Malformed, RejectsOverlappingBuffers) {
  constexpr std::uint32_t kSize = 1 << 16;
  ModelBuilder m;
  // Any multiple of 4 inside is the start of a vector of kSize / 2 bytes.
  const auto data = m.builder.CreateVector(bytes_of(std::vector<std::uint32_t>(kSize / 4, kSize / 2)));
  std::vector<std::int32_t> constants;
  for (std::uint32_t i = 1; i < 100; ++i) {
    TensorSpec spec{{kSize / 2}, ElementKind::INT8};
    spec.buffer = m.add_buffer(data.o - 4 * i);
    spec.scale = {0.5F};
    spec.zero_point = {0};
    constants.push_back(m.tensor(spec));
  }
  const auto output = m.tensor({{99 * kSize / 2}, ElementKind::INT8, {}, {0.5F}, {0}});
  m.op(Code::CONCATENATION, constants, {output}, format::Options::ConcatenationOptions,
       format::CreateConcatenationOptions(m.builder, 0).Union());
  EXPECT_THAT(complaint(m.finish({}, {output})), HasSubstr("parts of the file overlap"));
}

TEST(Malformed, RejectsSharedNames) {
  ModelBuilder m;
  TensorSpec spec = kFloats;
  spec.name = m.builder.CreateString(std::string(1 << 16, 'x'));
  const auto first = m.tensor(spec);
  auto last = first;
  for (int i = 0; i < 100; ++i) {
    const auto next = m.tensor(spec);
    m.op(Code::RELU, {last}, {next});
    last = next;
  }
  EXPECT_THAT(complaint(m.finish({first}, {last})), HasSubstr("parts of the file overlap"));
}

TEST(Malformed, RejectsSharedLists) {
  ModelBuilder m;
  const auto input = m.tensor(kFloats);
  const auto output = m.tensor({{4000}});
  m.op(Code::CONCATENATION, std::vector<std::int32_t>(1000, input), {output}, format::Options::ConcatenationOptions,
       format::CreateConcatenationOptions(m.builder, 0).Union());
  m.repeat_last_operator(1000);
  EXPECT_THAT(complaint(m.finish({input}, {output})), HasSubstr("parts of the file overlap"));
}

TEST(Malformed, RejectsOptionsOutOfRange) {
  const auto conv = [](format::Padding padding, int stride, int dilation,
                       format::FusedActivation activation = format::FusedActivation::NONE) {
    ModelBuilder m;
    const auto input = m.tensor({{1, 5, 5, 2}});
    const auto weights = m.tensor({{4, 3, 3, 2}, ElementKind::FLOAT32, Bytes(72 * 4)});
    const auto output = m.tensor({{1, 3, 3, 4}});
    m.op(Code::CONV_2D, {input, weights}, {output}, format::Options::Conv2DOptions,
         format::CreateConv2DOptions(m.builder, padding, stride, stride, activation, dilation, dilation).Union());
    return complaint(m.finish({input}, {output}));
  };
  using format::Padding;
  EXPECT_EQ(conv(Padding::SAME, 2, 1), "nothing");
  EXPECT_THAT(conv(Padding::SAME, 0, 1), HasSubstr("vertical stride 0; the range is 1 .. "));
  EXPECT_THAT(conv(Padding::SAME, -3, 1), HasSubstr("vertical stride -3"));
  EXPECT_THAT(conv(Padding::SAME, 1, std::numeric_limits<std::int32_t>::max()),
              HasSubstr("vertical dilation 2147483647"));
  EXPECT_THAT(conv(Padding::VALID, 1, 5), HasSubstr("a kernel reaching over 11 does not fit into height 5"));
  EXPECT_THAT(conv(Padding::VALID, 2, 1), HasSubstr("expected shape 1x2x2x4, from its inputs"));
  EXPECT_THAT(conv(static_cast<Padding>(7), 2, 1), HasSubstr("padding number 7"));
  EXPECT_THAT(conv(Padding::SAME, 2, 1, format::FusedActivation::TANH), HasSubstr("fused activation number 4"));
}

}  // namespace
}  // namespace systole::graph::test
