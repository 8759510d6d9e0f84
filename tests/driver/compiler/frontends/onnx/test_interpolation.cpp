// SPDX-License-Identifier: Apache-2.0
// Interpolation by Resize: an element of the input that has no weight in an element of the result has no part in it,
// whatever it is. The values are compared by ONNX's own tests (tests/cosim/onnx).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "onnx_builder.hpp"

namespace systole::graph::test {
namespace {

using Floats = std::vector<float>;

struct Interpolation {
  const char* mode;
  const char* coordinates;
  std::int64_t input, output;
  bool antialias = false, excludes_outside = false;
};

Graph resize(const Interpolation& how) {
  OnnxBuilder b(19);
  b.input("x", {1, how.input, 1}).constant<std::int64_t>("sizes", {3}, {1, how.output, 1});
  onnx::NodeProto& node = b.node("Resize", {"x", "", "", "sizes"}, "y");
  set_text(node, "mode", how.mode);
  set_text(node, "coordinate_transformation_mode", how.coordinates);
  set_int(node, "antialias", how.antialias ? 1 : 0);
  set_int(node, "exclude_outside", how.excludes_outside ? 1 : 0);
  return b.output("y").import();
}

Floats resized(const Graph& graph, const Floats& x) {
  return elements<float>(
      execute(graph, {make_value(ElementType::kFloat32, graph.tensor(graph.inputs[0]).shape, x)})[0]);
}

void expect_local(const Interpolation& how) {
  SCOPED_TRACE(testing::Message() << how.mode << ' ' << how.coordinates << ' ' << how.input << " to " << how.output);
  const Graph graph = resize(how);
  const auto size = static_cast<std::size_t>(how.input);
  const Floats finite = resized(graph, some<float>(size));
  Floats sums(finite.size());
  for (std::size_t j = 0; j < size; ++j) {
    Floats impulse(size);
    impulse[j] = 1;
    const Floats weights = resized(graph, impulse);
    for (const float special : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      Floats x = some<float>(size);
      x[j] = special;
      const Floats y = resized(graph, x);
      for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_EQ(std::isfinite(y[i]), weights[i] == 0) << "element " << i << " of " << special << " at " << j;
        EXPECT_TRUE(weights[i] != 0 || y[i] == finite[i]) << y[i] << " instead of " << finite[i];
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += weights[i];
    }
  }
  EXPECT_THAT(sums, testing::Each(testing::FloatNear(1, 1e-5F)));
}

TEST(Interpolation, ElementsWithoutWeightHaveNoPart) {
  for (const char* mode : {"linear", "cubic"}) {
    for (const char* coordinates :
         {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"}) {
      for (const auto& [input, output] :
           {std::pair{1, 3}, {6, 12}, {6, 9}, {5, 7}, {9, 4}, {8, 2}, {12, 24}, {20, 50}}) {
        expect_local({mode, coordinates, input, output});
        expect_local({mode, coordinates, input, output, false, true});
        expect_local({mode, coordinates, input, output, true, false});
      }
    }
  }
}

/// A region that shows the image backwards and beyond its ends.
TEST(Interpolation, RegionsOfImages) {
  OnnxBuilder b(19);
  b.input("x", {4}).constant<float>("region", {2}, {1.5F, -0.5F}).constant<std::int64_t>("sizes", {1}, {5});
  onnx::NodeProto& node = b.node("Resize", {"x", "region", "", "sizes"}, "y");
  set_text(node, "mode", "linear");
  set_text(node, "coordinate_transformation_mode", "tf_crop_and_resize");
  set_real(node, "extrapolation_value", 7);
  // Places 4.5, 3, 1.5, 0 and -1.5.
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(resized(b.output("y").import(), {infinity, 1, 2, 5}), testing::ElementsAre(7, 5, 1.5F, infinity, 7));
}

/// The first result has some 200 neighbours less than those in the middle, so that its last one, element 599, is there
/// as often.
TEST(Interpolation, FewNeighboursKeepAnInfinity) {
  Floats x(2400);
  x[599] = std::numeric_limits<float>::infinity();
  const Floats y = resized(resize({"linear", "half_pixel", 2400, 6, true, true}), x);
  EXPECT_EQ(y[0], x[599]);
  EXPECT_EQ(y[5], 0);
}

TEST(Interpolation, StrongAntialias) {
  const auto complaint = [](std::int64_t input) -> std::string {
    try {
      resize({"cubic", "half_pixel", input, 1, true});
      return "nothing";
    } catch (const GraphError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(complaint(256), "nothing");
  EXPECT_THAT(complaint(257), testing::HasSubstr("takes in more than 1024 of the input"));
}

/// Fractions are cut off, as in ONNX Runtime; cubic results, which it does not have, are rounded. What is beyond the
/// type is its nearest number.
TEST(Interpolation, OfIntegers) {
  const auto bytes = [](const char* mode, const std::vector<std::uint8_t>& x, std::int64_t size) {
    OnnxBuilder b(19);
    b.input("x", {static_cast<std::int64_t>(x.size())}, onnx::TensorProto::UINT8);
    set_text(b.constant<std::int64_t>("sizes", {1}, {size}).node("Resize", {"x", "", "", "sizes"}, "y"), "mode", mode);
    const Graph graph = b.output("y").import();
    const Value y = execute(graph, {make_value(ElementType::kUint8, graph.tensor(graph.inputs[0]).shape, x)})[0];
    return elements<std::uint8_t>(y);
  };
  // 10, 12.75, 18.25, and 21
  EXPECT_THAT(bytes("linear", {10, 21}, 4), testing::ElementsAre(10, 12, 18, 21));
  // 0, -9.0, -26.9, 57.8, 197.2, 281.9, 264.0, and 255
  EXPECT_THAT(bytes("cubic", {0, 0, 255, 255}, 8), testing::ElementsAre(0, 0, 0, 58, 197, 255, 255, 255));
}

std::string complaint(OnnxBuilder& b, const std::vector<std::int64_t>& sizes, const char* mode) {
  b.constant<std::int64_t>("sizes", {static_cast<std::int64_t>(sizes.size())}, sizes);
  onnx::NodeProto& node = b.node("Resize", {"x", "", "", "sizes"}, "y");
  set_text(node, "mode", mode);
  set_int(node, "antialias", 1);
  if (sizes.size() == 2) {
    set_ints(node, "axes", {0, 1});
  }
  try {
    b.output("y").import();
    return "nothing";
  } catch (const GraphError& error) {
    return error.what();
  }
}

TEST(Interpolation, OfTooManyElements) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(complaint(OnnxBuilder(19).input("x", {1, 4}), {1, most}, "linear"),
              testing::HasSubstr("size 9223372036854775807 of the result along axis 1; the range is 1 .. 2^20"));
  EXPECT_THAT(complaint(OnnxBuilder(19).input("x", {1 << 25}), {1 << 10}, "linear"),
              testing::HasSubstr("interpolates a dimension of 33554432; at most 16777216"));
  EXPECT_THAT(complaint(OnnxBuilder(19).input("x", {1 << 24}), {1 << 18}, "cubic"),
              testing::HasSubstr("from 16777216 to 262144 takes more than 16777216 weights"));
  EXPECT_THAT(complaint(OnnxBuilder(19).input("x", {}), {2, 2}, "linear"), testing::HasSubstr("of 0 dimensions"));
}

/// Whole factors are a few slices, with a number as factor, whatever the size of the image.
TEST(Interpolation, WholeFactorsAreSlices) {
  const std::size_t small = resize({"linear", "half_pixel", 8, 16}).operators.size();
  EXPECT_EQ(resize({"linear", "half_pixel", 300, 600}).operators.size(), small);
  EXPECT_LT(small, 20U);
}

}  // namespace
}  // namespace systole::graph::test
