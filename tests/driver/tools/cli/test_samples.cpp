// SPDX-License-Identifier: Apache-2.0
// Random inputs of `systole run` without --input, and its comparison of real numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "../../compiler/frontends/onnx/onnx_builder.hpp"
#include "exit_codes.hpp"
#include "input_samples.hpp"
#include "npy.hpp"
#include "program_fixture.hpp"

namespace systole::cli {
namespace {

using graph::ElementType;
using graph::Value;
using graph::test::OnnxBuilder;

class SampleRuns : public ProgramTest {
 protected:
  SampleRuns() : ProgramTest("systole_samples") {}

  /// An embedding lookup: the ids pass through a cast and a reshape.
  OnnxBuilder tokens(std::int64_t rows = 6) const {
    OnnxBuilder file;
    file.input("ids", {1, 4}, onnx::TensorProto::INT64)
        .constant<float>("table", {rows, 2}, std::vector<float>(static_cast<std::size_t>(2 * rows), 0.5F));
    file.constant<std::int64_t>("flat", {1}, {-1});
    file.node("Reshape", {"ids", "flat"}, "list");
    file.node("Gather", {"table", "list"}, "rows");
    file.node("Exp", {"rows"}, "y");
    file.output("y");
    return file;
  }
};

TEST_F(SampleRuns, DrawValidIndices) {
  for (const std::int64_t rows : {1, 6, 30522}) {
    const graph::Graph graph = tokens(rows).import();
    const std::vector<Value> drawn = Samples(1, 5, graph, graph.inputs).at(3);
    for (const std::int64_t id : graph::elements<std::int64_t>(drawn.at(0))) {
      EXPECT_TRUE(id >= 0 && id < rows) << id;
    }
  }
  write("tokens.onnx", tokens().bytes());
  EXPECT_EQ(systole({"run", path("tokens.onnx"), "--device", "host", "--count", "3"}), kOk) << errors_;
}

/// Arithmetic before the index may leave the axis: then the message suggests a remedy.
TEST_F(SampleRuns, ReportRandomInputs) {
  OnnxBuilder file;
  file.input("ids", {1, 4}, onnx::TensorProto::INT64)
      .constant<float>("table", {6, 2}, std::vector<float>(12, 1))
      .constant<std::int64_t>("more", {1}, {100});
  file.node("Add", {"ids", "more"}, "moved");
  file.node("Gather", {"table", "moved"}, "y");
  file.output("y");
  write("moved.onnx", file.bytes());
  EXPECT_EQ(systole({"run", path("moved.onnx"), "--device", "host"}), kBadInput);
  expect_part(" on axis 0 of size 6; the range is -6 .. 5");
  expect_part("give valid inputs with --input FILE");
}

TEST_F(SampleRuns, ReportIndicesOutOfRange) {
  write("tokens.onnx", tokens(30522).bytes());
  npy::write(path("ids.npy"),
             graph::make_value<std::int64_t>(ElementType::kInt64, {1, 4}, {0, 1, 2, 1'000'000'000'000'000'000}));
  EXPECT_EQ(systole({"run", path("tokens.onnx"), "--device", "host", "--input", path("ids.npy")}), kBadInput);
  expect_part("index 1000000000000000000 on axis 0 of size 30522; the range is -30522 .. 30521");

  OnnxBuilder file;
  file.input("x", {3}).constant<std::int64_t>("i", {1}, {7});
  file.node("Gather", {"x", "i"}, "y");
  file.output("y");
  write("constant.onnx", file.bytes());
  EXPECT_EQ(systole({"run", path("constant.onnx"), "--device", "host"}), kBadInput);
  expect_part("index 7 on axis 0 of size 3; the range is -3 .. 2");
}

TEST_F(SampleRuns, TolerateFloatRounding) {
  OnnxBuilder file;
  file.input("x", {1, 4});
  file.node("Exp", {"x"}, "y");
  file.output("y");
  write("exp.onnx", file.bytes());
  const auto row = [](const std::vector<float>& values) {
    return graph::make_value<float>(ElementType::kFloat32, {1, 4}, values);
  };
  npy::write(path("x.npy"), row({0, 1, -1, 2}));
  std::vector<float> expected = {1, std::exp(1.0F), std::exp(-1.0F), std::exp(2.0F)};
  expected[1] += 2.4e-7F;  // one unit in the last place
  npy::write(path("near.npy"), row(expected));
  expected[3] += 0.01F;
  npy::write(path("far.npy"), row(expected));
  const std::vector<std::string> run = {"run",     path("exp.onnx"), "--device", "host",
                                        "--input", path("x.npy"),    "--expect"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = run;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return systole(arguments);
  };
  EXPECT_EQ(with({path("near.npy")}), kOk) << errors_;
  expect_part("within tolerance, 4 values against " + path("near.npy") + "; the largest difference is 2.38e-07");
  EXPECT_EQ(with({path("near.npy"), "--tolerance", "0"}), kMismatch);
  EXPECT_EQ(with({path("far.npy")}), kMismatch);
  expect_part("(1 of 4 differ by more than 1e-05 + 0.0001 x |expected|, the most by 0.01)");
  expect_part("--tolerance ABSOLUTE,RELATIVE");
  EXPECT_EQ(errors_.find("waves"), std::string::npos) << errors_;
  EXPECT_EQ(with({path("far.npy"), "--tolerance", "0.1"}), kOk) << errors_;
  EXPECT_EQ(with({path("far.npy"), "--tolerance", "0,0.01"}), kOk) << errors_;
  EXPECT_EQ(with({path("near.npy"), "--tolerance", "-1"}), kBadInput);
}

TEST(DeviationOf, HandlesNaN) {
  graph::Tensor tensor;
  tensor.name = "y";
  tensor.type = ElementType::kFloat32;
  tensor.shape = {2};
  const auto value = [](float a, float b) { return graph::make_value<float>(ElementType::kFloat32, {2}, {a, b}); };
  const float nan = std::nanf(""), infinity = HUGE_VALF;
  const Tolerance tolerance{1, 0};
  EXPECT_NE(deviation(0, tensor, value(nan, 0), value(0, 0), tolerance).first, "");
  EXPECT_NE(deviation(0, tensor, value(0, 0), value(0, nan), tolerance).first, "");
  EXPECT_NE(deviation(0, tensor, value(infinity, 0), value(1, 0), tolerance).first, "");
  EXPECT_NE(deviation(0, tensor, value(infinity, 0), value(1, 0), Tolerance{1, 1}).first, "");
  EXPECT_NE(deviation(0, tensor, value(infinity, 0), value(-infinity, 0), tolerance).first, "");
  EXPECT_EQ(deviation(0, tensor, value(-nan, infinity), value(nan, infinity), tolerance).first, "");
  EXPECT_TRUE(deviation(0, tensor, value(0, 0), value(0.5F, 0), tolerance).within);
  EXPECT_EQ(deviation(0, tensor, value(2, 0), value(2, 0), tolerance).within, false);
}

}  // namespace
}  // namespace systole::cli
