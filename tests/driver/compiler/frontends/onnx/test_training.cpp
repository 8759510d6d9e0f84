// SPDX-License-Identifier: Apache-2.0
// Files that are read for a training: normalizations and dropout stay operators, and what a training cannot keep is
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "onnx_builder.hpp"

namespace systole::graph::test {
namespace {

using testing::HasSubstr;

template <class Kind>
std::vector<Kind> kinds_in(const Graph& graph) {
  std::vector<Kind> found;
  for (const Operator& op : graph.operators) {
    if (const Kind* kind = std::get_if<Kind>(&op.kind)) {
      found.push_back(*kind);
    }
  }
  return found;
}

OnnxOptions to_train() {
  OnnxOptions options;
  options.training = true;
  return options;
}

OnnxBuilder with_statistics(const std::vector<std::int64_t>& shape) {
  OnnxBuilder b;
  b.input("x", shape).constant("scale", {2}, some<float>(2, 3)).constant("bias", {2}, some<float>(2, 4));
  b.constant("mean", {2}, some<float>(2, 5)).constant<float>("variance", {2}, {1, 2});
  return b;
}

onnx::NodeProto& add_normalization(OnnxBuilder& b, const std::string& x, const std::string& y) {
  return b.node("BatchNormalization", {x, "scale", "bias", "mean", "variance"}, y);
}

void expect_same(const Graph& a, const Graph& b, const Shape& shape) {
  const std::vector<float> x = some<float>(static_cast<std::size_t>(count(shape)), 9);
  const Value value = make_value(ElementType::kFloat32, shape, x);
  EXPECT_EQ(execute(a, {value}).at(0).data, execute(b, {value}).at(0).data);
}

/// Normalized and dropped between two convolutions, with no transposition between them.
TEST(ReadToTrain, KeepsNormalizationAndDropout) {
  OnnxBuilder b = with_statistics({1, 2, 4, 4});
  b.constant("w1", {2, 2, 1, 1}, some<float>(4)).constant("w2", {2, 2, 1, 1}, some<float>(4, 2));
  b.node("Conv", {"x", "w1"}, "a");
  onnx::NodeProto& normalization = add_normalization(b, "a", "b");
  set_real(normalization, "epsilon", 0.25F);
  set_real(normalization, "momentum", 0.5F);
  b.constant<float>("ratio", {}, {0.125F});
  b.node("Dropout", {"b", "ratio"}, "c");
  b.node("Conv", {"c", "w2"}, "y");
  b.output("y");
  const Graph graph = b.import(to_train());
  EXPECT_EQ(kinds_in<Transpose>(graph).size(), 2U) << "one at the input, one at the output";
  const auto kept = kinds_in<BatchNormalize>(graph);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].epsilon, 0.25F);
  EXPECT_EQ(kept[0].momentum, 0.5F);
  ASSERT_EQ(kinds_in<Dropout>(graph).size(), 1U);
  EXPECT_EQ(kinds_in<Dropout>(graph)[0].ratio, 0.125F);
  EXPECT_TRUE(kinds_in<BatchNormalize>(b.import()).empty());
  EXPECT_TRUE(kinds_in<Dropout>(b.import()).empty());
  expect_same(graph, b.import(), {1, 2, 4, 4});
}

TEST(ReadToTrain, NormalizesAnyNumberOfAxes) {
  for (const Shape& shape : {Shape{1, 2}, Shape{1, 2, 3}, Shape{1, 2, 3, 2, 2}}) {
    OnnxBuilder b = with_statistics(shape);
    add_normalization(b, "x", "y");
    b.output("y");
    const Graph graph = b.import(to_train());
    EXPECT_EQ(kinds_in<BatchNormalize>(graph).size(), 1U);
    expect_same(graph, b.import(), shape);
  }
}

/// As PyTorch exports a network in training mode: statistics and masks are there, and nothing reads them.
TEST(ReadToTrain, TakesFilesInTrainingMode) {
  OnnxBuilder b = with_statistics({1, 2, 3, 3});
  onnx::NodeProto& normalization = add_normalization(b, "x", "a");
  set_int(normalization, "training_mode", 1);
  normalization.add_output("moved_mean");
  normalization.add_output("moved_variance");
  b.constant<float>("ratio", {}, {0.5F});
  onnx::TensorProto& on = *b.graph().add_initializer();
  on.set_name("on");
  on.set_data_type(onnx::TensorProto::BOOL);
  on.set_raw_data(std::string(1, '\1'));
  b.node("Dropout", {"a", "ratio", "on"}, "y").add_output("mask");
  b.output("y");
  const Graph graph = b.import(to_train());
  EXPECT_EQ(kinds_in<BatchNormalize>(graph).size(), 1U);
  EXPECT_EQ(kinds_in<Dropout>(graph).size(), 1U);
  EXPECT_THROW(b.import(), GraphError);
}

std::string refusal(const OnnxBuilder& b) {
  try {
    b.import(to_train());
  } catch (const GraphError& error) {
    return error.what();
  }
  return {};
}

TEST(ReadToTrain, RefusesWhatATrainingCannotKeep) {
  OnnxBuilder statistics = with_statistics({1, 2, 3, 3});
  onnx::NodeProto& normalization = add_normalization(statistics, "x", "y");
  normalization.set_name("norm1");
  set_int(normalization, "training_mode", 1);
  normalization.add_output("moved");
  EXPECT_THAT(refusal(statistics.output("y").output("moved")),
              testing::AllOf(HasSubstr("norm1"), HasSubstr("gives its running statistics to other operators")));

  OnnxBuilder computed = with_statistics({1, 2});
  computed.input("other", {2});
  computed.node("BatchNormalization", {"x", "scale", "bias", "other", "variance"}, "y").set_name("norm2");
  EXPECT_THAT(refusal(computed.output("y")), testing::AllOf(HasSubstr("norm2"), HasSubstr("takes 'other'")));

  OnnxBuilder mask;
  mask.input("x", {1, 3});
  onnx::NodeProto& dropout = mask.node("Dropout", {"x"}, "a");
  dropout.set_name("drop");
  dropout.add_output("mask");
  mask.node("Where", {"mask", "a", "x"}, "y");
  EXPECT_THAT(refusal(mask.output("y")),
              testing::AllOf(HasSubstr("drop"), HasSubstr("a mask that other operators read")));

  OnnxBuilder all;
  all.input("x", {1, 3}).constant<float>("ratio", {}, {1});
  all.node("Dropout", {"x", "ratio"}, "y");
  EXPECT_THAT(refusal(all.output("y")), HasSubstr("has ratio 1; expected 0 or more and below 1"));
}

}  // namespace
}  // namespace systole::graph::test
