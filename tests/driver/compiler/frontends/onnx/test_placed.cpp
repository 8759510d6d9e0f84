// SPDX-License-Identifier: Apache-2.0
// Operators that are composed of moves: parameters that no file should have are errors that name them. Their values are
// compared by ONNX's own tests (tests/cosim/onnx).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx_builder.hpp"

namespace systole::graph::test {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

std::string complaint(OnnxBuilder& b) {
  try {
    b.output("y").import();
    return "nothing";
  } catch (const GraphError& error) {
    return error.what();
  }
}

std::vector<float> result(OnnxBuilder& b, const std::vector<float>& x) {
  const Graph graph = b.output("y").import();
  return elements<float>(
      execute(graph, {make_value(ElementType::kFloat32, graph.tensor(graph.inputs[0]).shape, x)})[0]);
}

std::string complaint_of_columns(const std::vector<std::int64_t>& image, const std::vector<std::int64_t>& block,
                                 const std::vector<std::int64_t>& strides) {
  OnnxBuilder b(18);
  b.input("x", {1, 4, 4});
  b.constant<std::int64_t>("image", {static_cast<std::int64_t>(image.size())}, image);
  b.constant<std::int64_t>("block", {static_cast<std::int64_t>(block.size())}, block);
  set_ints(b.node("Col2Im", {"x", "image", "block"}, "y"), "strides", strides);
  return complaint(b);
}

TEST(Placed, ColumnsThatDoNotFit) {
  EXPECT_EQ(complaint_of_columns({3, 3}, {2, 2}, {1, 1}), "nothing");
  EXPECT_THAT(complaint_of_columns({3, 3}, {2}, {1, 1}), HasSubstr("a block of 1 dimensions in an image of 2"));
  EXPECT_THAT(complaint_of_columns({3, 3}, {4, 2}, {1, 1}), HasSubstr("a block of 4 in an image of 3"));
  EXPECT_THAT(complaint_of_columns({3, 0}, {2, 2}, {1, 1}), HasSubstr("a block of 2 in an image of 0"));
  EXPECT_THAT(complaint_of_columns({3, 3}, {2, 2}, {0, 1}), HasSubstr("strides"));
  EXPECT_THAT(complaint_of_columns({9, 3}, {2, 2}, {1, 1}), HasSubstr("expected N, a multiple of 4, 16"));
}

TEST(Placed, CropsAndScattersOutside) {
  OnnxBuilder crop(18);
  crop.input("x", {4, 4}).constant<std::int64_t>("shape", {2}, {2, 0});
  crop.node("CenterCropPad", {"x", "shape"}, "y");
  EXPECT_THAT(complaint(crop), HasSubstr("size 0 for axis 1; the range is 1"));

  OnnxBuilder scatter(24);
  scatter.input("x", {2, 4, 3}).input("u", {2, 2, 3}).constant<std::int64_t>("at", {2}, {1, 3});
  scatter.node("TensorScatter", {"x", "u", "at"}, "y");
  EXPECT_THAT(complaint(scatter), HasSubstr("place 3 for an update of 2 elements; the range is 0 .. 2"));
}

TEST(Placed, SequencesOfWrongShapes) {
  OnnxBuilder convolution(27);
  convolution.input("x", {1, 4, 6}).input("w", {3, 1, 2});
  convolution.node("CausalConvWithState", {"x", "w"}, "y");
  EXPECT_THAT(complaint(convolution), HasSubstr("weights of shape 3x1x2"));

  OnnxBuilder attention(27);
  attention.input("q", {1, 2, 8}).input("k", {1, 2, 8}).input("v", {1, 3, 8});
  onnx::NodeProto& node = attention.node("LinearAttention", {"q", "k", "v"}, "y");
  set_int(node, "q_num_heads", 2);
  set_int(node, "kv_num_heads", 2);
  EXPECT_THAT(complaint(attention), HasSubstr("value 1x3x8"));

  OnnxBuilder product(26);
  product.input("x", {2000}).constant<std::int64_t>("axis", {}, {0});
  product.node("CumProd", {"x", "axis"}, "y");
  EXPECT_THAT(complaint(product), HasSubstr("2000 steps; at most 1024"));
}

TEST(Placed, GridOfAnotherMatrix) {
  OnnxBuilder b(20);
  b.input("theta", {1, 3, 4}).constant<std::int64_t>("size", {4}, {1, 1, 5, 5});
  b.node("AffineGrid", {"theta", "size"}, "y");
  EXPECT_THAT(complaint(b), HasSubstr("matrices of shape 1x3x4; expected 1x2x3"));
}

/// The size stays, the positions do not.
TEST(Placed, ResizingToTheSameSize) {
  OnnxBuilder b(19);
  b.input("x", {1, 1, 1, 2}).constant<float>("scales", {4}, {1, 1, 1, 1.25F});
  set_text(b.node("Resize", {"x", "", "scales"}, "y"), "mode", "linear");
  EXPECT_THAT(result(b, {0, 1}), ElementsAre(FloatNear(0, 1e-6F), FloatNear(0.7F, 1e-6F)));
}

}  // namespace
}  // namespace systole::graph::test
