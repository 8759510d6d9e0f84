// SPDX-License-Identifier: Apache-2.0
// Files that are damaged, hostile, or unsupported: each gives a GraphError with a message, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "onnx_builder.hpp"
#include "onnx_not_supported.hpp"

namespace systole::graph::test {
namespace {

using testing::HasSubstr;

OnnxBuilder small() {
  OnnxBuilder b;
  b.input("x", {1, 2, 4, 4}).constant("w", {3, 2, 3, 3}, some<float>(54)).constant<std::int64_t>("shape", {2}, {1, -1});
  b.node("Conv", {"x", "w"}, "a");
  set_ints(b.node("MaxPool", {"a"}, "b"), "kernel_shape", {2, 2});
  b.node("Reshape", {"b", "shape"}, "y");
  b.output("y");
  return b;
}

std::string complaint(const Bytes& bytes, const OnnxOptions& options = {}) {
  try {
    import_onnx(bytes, "m", options);
    return "nothing";
  } catch (const GraphError& error) {
    return error.what();
  }
}
std::string complaint(const OnnxBuilder& b) { return complaint(b.bytes()); }

OnnxRefusal refusal(const OnnxBuilder& b) {
  try {
    b.import();
  } catch (const OnnxNotSupported& error) {
    return error.reason();
  }
  return OnnxRefusal::kUnknownOperator;
}

TEST(Damaged, UndamagedModelIsValid) { EXPECT_EQ(complaint(small()), "nothing"); }

TEST(Damaged, TruncationGivesErrorOrGraph) {
  const Bytes bytes = small().bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    complaint(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
  }
  EXPECT_THAT(complaint(Bytes{}), HasSubstr("no graph"));
  EXPECT_THAT(complaint(Bytes(bytes.begin(), bytes.end() - 20)), HasSubstr("truncated or damaged"));
}

TEST(Damaged, FlippedBitGivesErrorOrGraph) {
  const Bytes bytes = small().bytes();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes flipped = bytes;
      flipped[at] = static_cast<std::uint8_t>(flipped[at] ^ 1U << bit);
      complaint(flipped);
    }
  }
}

RC_GTEST_PROP(Damaged, FlippedBitsGiveAGraphOrAnError, ()) {
  Bytes bytes = small().bytes();
  const auto flips = *rc::gen::inRange(1, 6);
  for (int i = 0; i < flips; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1U << *rc::gen::inRange(0, 8));
  }
  complaint(bytes);
}

TEST(Damaged, AttentionOfAScalar) {
  OnnxBuilder b(21);
  b.model.add_opset_import()->set_domain("com.microsoft");
  b.input("q", {}).input("k", {1, 2, 4}).input("v", {1, 2, 4}).output("y");
  b.constant<float>("bias", {12}, std::vector<float>(12));
  auto& node = b.node("MultiHeadAttention", {"q", "k", "v", "bias"}, "y");
  node.set_domain("com.microsoft");
  set_int(node, "num_heads", 2);
  EXPECT_THAT(complaint(b), HasSubstr("'q' has shape scalar; expected 3 dimensions"));
}

TEST(Damaged, RejectsUnknownVersions) {
  OnnxBuilder b = small();
  b.model.set_ir_version(99);
  EXPECT_THAT(complaint(b), HasSubstr("version 99 of the format; 1 .. 14"));
  EXPECT_THAT(complaint([] {
                OnnxBuilder newer(40);
                return newer.bytes();
              }()),
              HasSubstr("operator set 40"));
}

TEST(Damaged, RejectsConstantsOfWrongSize) {
  OnnxBuilder b = small();
  b.constant<float>("more", {1000000, 1000000}, {1.0F});
  EXPECT_THAT(complaint(b), HasSubstr("constant 'more': shape 1000000x1000000 of float32 takes"));
}

TEST(Damaged, RejectsMissingInputsAndOutputs) {
  OnnxBuilder b = small();
  b.node("Relu", {"nobody"}, "z");
  EXPECT_THAT(complaint(b), HasSubstr("node 3 (Relu ''): input 'nobody' is not an output of a node, an input"));
  OnnxBuilder twice = small();
  twice.node("Relu", {"a"}, "b");
  EXPECT_THAT(complaint(twice), HasSubstr("'b' already exists"));
  OnnxBuilder missing;
  missing.input("x", {1});
  missing.output("y");
  EXPECT_THAT(complaint(missing), HasSubstr("output 'y' of the graph is not produced by any node"));
  OnnxBuilder none;
  none.input("x", {1}).node("Add", {"x"}, "y");
  none.output("y");
  EXPECT_THAT(complaint(none), HasSubstr("input 1 is missing"));
}

TEST(Damaged, RejectsNormalizationOfOtherChannels) {
  const auto normalized = [](const std::vector<std::int64_t>& image, std::int64_t values) {
    OnnxBuilder b;
    b.input("x", image);
    for (const char* name : {"scale", "bias", "mean", "variance"}) {
      b.constant(name, {values}, std::vector<float>(static_cast<std::size_t>(values), 1.0F));
    }
    b.node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"}, "y");
    b.output("y");
    return complaint(b);
  };
  EXPECT_EQ(normalized({1, 4, 3, 3}, 4), "nothing");
  // Both would broadcast.
  EXPECT_THAT(normalized({1, 1, 3, 3}, 4),
              HasSubstr("'scale' has shape 4, its input 'x' has shape 1x1x3x3; expected one value per channel"));
  EXPECT_THAT(normalized({1, 4, 3, 3}, 1), HasSubstr("'scale' has shape 1, its input 'x' has shape 1x4x3x3"));
}

TEST(Damaged, RejectsRangesWithoutEnd) {
  const auto range = [](double limit, double step) {
    OnnxBuilder b;
    b.constant<float>("start", {}, {0}).constant<float>("limit", {}, {static_cast<float>(limit)});
    b.constant<float>("step", {}, {static_cast<float>(step)}).node("Range", {"start", "limit", "step"}, "y");
    b.output("y");
    return complaint(b);
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(range(kNan, 1), HasSubstr("nan elements from 0 to nan by 1; at most 2^24"));
  EXPECT_THAT(range(0, 0), HasSubstr("elements from 0 to 0 by 0; at most 2^24"));
  EXPECT_THAT(range(5, 0), HasSubstr("inf elements from 0 to 5 by 0; at most 2^24"));
  OnnxBuilder integers;
  integers.constant<std::int64_t>("start", {}, {0}).constant<std::int64_t>("step", {}, {0});
  integers.node("Range", {"start", "start", "step"}, "y");
  integers.output("y");
  EXPECT_THAT(complaint(integers), HasSubstr("the step is 0; expected another number"));
}

TEST(Damaged, RejectsDirectionsOfRecurrence) {
  OnnxBuilder b(14);
  b.input("x", {3, 1, 2}).input("w", {1, 2, 2}).input("r", {1, 2, 2});
  set_text(b.node("RNN", {"x", "w", "r"}, "y"), "direction", "backward");
  b.output("y");
  EXPECT_THAT(complaint(b), HasSubstr("direction 'backward'; expected forward, reverse or bidirectional"));
}

TEST(Damaged, RejectsAttributesOutOfRange) {
  const auto pool = [](const std::vector<std::int64_t>& kernel, const std::vector<std::int64_t>& pads) {
    OnnxBuilder b;
    b.input("x", {1, 1, 4, 4});
    auto& node = b.node("MaxPool", {"x"}, "y");
    set_ints(node, "kernel_shape", kernel);
    set_ints(node, "pads", pads);
    b.output("y");
    return complaint(b);
  };
  EXPECT_THAT(pool({0, 1}, {0, 0, 0, 0}), HasSubstr("kernel size 0; the range is 1 .."));
  EXPECT_THAT(pool({2, 2}, {0, 0, 0}), HasSubstr("pads has 3 values; expected 4"));
  EXPECT_THAT(pool({2, 2}, {0, 0, 0, 1LL << 60}), HasSubstr("pads contains 1152921504606846976"));
  OnnxBuilder type = small();
  set_int(*type.graph().mutable_node(0), "pads", 3);
  EXPECT_THAT(complaint(type), HasSubstr("attribute 'pads' has type INT; expected INTS"));
  OnnxBuilder axis;
  axis.input("x", {2, 3});
  set_int(axis.node("Concat", {"x", "x"}, "y"), "axis", 7);
  axis.output("y");
  EXPECT_THAT(complaint(axis), HasSubstr("axis 7 of 2 dimensions; the range is -2 .. 1"));
}

TEST(Damaged, RejectsHugeResults) {
  OnnxBuilder b(13);
  b.constant<std::int64_t>("shape", {3}, {1 << 20, 1 << 20, 4});
  b.node("ConstantOfShape", {"shape"}, "y");
  b.output("y");
  EXPECT_THAT(complaint(b), HasSubstr("at most 2147483647 bytes"));
  OnnxBuilder pad(13);
  pad.input("x", {1}).constant<std::int64_t>("pads", {2}, {1LL << 39, 0});
  pad.node("Pad", {"x", "pads"}, "y");
  pad.output("y");
  EXPECT_THAT(complaint(pad), HasSubstr("the most a tensor may have"));
}

TEST(Refused, UnsupportedFeaturesHaveReasons) {
  OnnxBuilder open;
  open.input("x", {});
  open.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_param("N");
  open.node("Relu", {"x"}, "y");
  open.output("y");
  EXPECT_EQ(refusal(open), OnnxRefusal::kDynamicShape);
  EXPECT_THAT(complaint(open), HasSubstr("dimension 0 ('N') is dynamic"));
  OnnxOptions one;
  one.batch = 1;
  EXPECT_EQ(complaint(open.bytes(), one), "nothing");
  OnnxOptions named;
  named.dimensions["N"] = 3;
  EXPECT_EQ(import_onnx(open.bytes(), "m", named).tensors.at(0).shape, Shape{3});

  OnnxBuilder elsewhere = small();
  elsewhere.graph().mutable_initializer(0)->set_data_location(onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(refusal(elsewhere), OnnxRefusal::kExternalData);
  EXPECT_THAT(complaint(elsewhere), HasSubstr("constant 'w'"));

  OnnxBuilder complex;
  complex.input("x", {1}, onnx::TensorProto::COMPLEX64).node("Relu", {"x"}, "y");
  EXPECT_EQ(refusal(complex.output("y")), OnnxRefusal::kElementType);
  EXPECT_THAT(complaint(complex), HasSubstr("COMPLEX64"));

  OnnxBuilder branch;
  branch.input("x", {1});
  auto* graph = branch.node("SequenceMap", {"x"}, "y").add_attribute();
  graph->set_name("body");
  graph->mutable_g();
  EXPECT_EQ(refusal(branch.output("y")), OnnxRefusal::kControlFlow);

  OnnxBuilder wide;  // valid, with more neighbours than are unrolled
  wide.input("x", {1, 2000, 1});
  set_int(wide.node("LRN", {"x"}, "y"), "size", 1025);
  EXPECT_EQ(refusal(wide.output("y")), OnnxRefusal::kTooLarge);
  EXPECT_THAT(complaint(wide), HasSubstr("size 1025; at most 1024 is supported"));

  OnnxBuilder unknown;
  unknown.input("x", {1}).node("Frobnicate", {"x"}, "y");
  EXPECT_EQ(refusal(unknown.output("y")), OnnxRefusal::kUnknownOperator);
  EXPECT_THAT(complaint(unknown), HasSubstr("node 0 (Frobnicate ''): is not supported"));

  OnnxBuilder computed;
  computed.input("x", {4}).input("half", {2}, onnx::TensorProto::INT64).node("Add", {"half", "half"}, "shape");
  computed.node("Reshape", {"x", "shape"}, "y");
  EXPECT_EQ(refusal(computed.output("y")), OnnxRefusal::kComputedParameter);
  OnnxOptions known;
  known.values["half"] = make_value<std::int64_t>(ElementType::kInt64, {2}, {1, 1});
  EXPECT_EQ(complaint(computed.bytes(), known), "nothing");
  known.values["half"] = make_value<std::int64_t>(ElementType::kInt64, {1}, {1});
  EXPECT_THAT(complaint(computed.bytes(), known),
              HasSubstr("the inputs of the graph: the value given for input 'half' is 1 int64; the input is 2 int64"));

  OnnxBuilder indices;
  indices.input("x", {1, 1, 4, 4, 4});
  auto& pool = indices.node("MaxPool", {"x"}, "y");
  pool.add_output("i");
  set_ints(pool, "kernel_shape", {2, 2, 2});
  indices.output("y").output("i");
  EXPECT_EQ(refusal(indices), OnnxRefusal::kSecondResult);
}

}  // namespace
}  // namespace systole::graph::test
