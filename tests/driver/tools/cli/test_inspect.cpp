// SPDX-License-Identifier: Apache-2.0
// `systole inspect` on a small network.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../../compiler/frontends/model_builder.hpp"
#include "../../compiler/frontends/onnx/onnx_builder.hpp"
#include "exit_codes.hpp"
#include "inspection.hpp"
#include "model_files.hpp"
#include "npy.hpp"
#include "program_fixture.hpp"
#include "shortened.hpp"

namespace systole::cli {
namespace {

class Inspect : public ProgramTest {
 protected:
  Inspect() : ProgramTest("systole_inspect") { write("small.tflite", graph::test::small_model()); }
};

TEST_F(Inspect, ShowsWhereOperatorsRun) {
  ASSERT_EQ(systole({"inspect", path("small.tflite")}), kOk) << errors_;
  EXPECT_EQ(output_.find("small  TensorFlow Lite: 2 operators, 648 MACs, 88 bytes of constants\n\ninput   "), 0U)
      << output_;
  expect_part("  0  CONV_2D   3x3 stride 2x2 pad 1,1,1,1 relu6  1x3x3x4  int8  scale 0.25, zero point -128");
  expect_part("648  100.0 %  device\n");
  expect_part("\ndevice  ");
  expect_part(", 100.0 % of the MACs\n");
  expect_part("\nresult  runs\n");
}

TEST_F(Inspect, WritesJson) {
  ASSERT_EQ(systole({"inspect", path("small.tflite"), "--json", "-"}), kOk) << errors_;
  const auto json = nlohmann::json::parse(output_);
  EXPECT_EQ(json["macs"], 648);
  EXPECT_EQ(json["format"], "TensorFlow Lite");
  EXPECT_EQ(json["runs"], true);
  EXPECT_EQ(json["operators"][0]["runs_on"], "device");
  EXPECT_EQ(json["operators"][0]["share"], 1.0);
  EXPECT_EQ(json["operators"][0]["reason"], nullptr);
  EXPECT_EQ(json["operators"][1]["origin"], "SOFTMAX");
  EXPECT_EQ(json["operators"][1]["place"], 1);
  EXPECT_EQ(json["device"]["macs"], 648);
  EXPECT_TRUE(json["missing"].empty());
}

/// Two convolutions with an unsupported operator between them, one on sequences, and an open dimension.
graph::Bytes unfinished() {
  graph::test::OnnxBuilder file;
  file.input("x", {1, 4}).input("ids", {1, 8}).output("y").output("z");
  auto* shape = file.graph().mutable_input(1)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(1)->set_dim_param("sequence");
  file.node("Frobnicate", {"x"}, "a");
  file.node("Frobnicate", {"a"}, "b");
  file.node("Relu", {"b"}, "y");
  file.node("Relu", {"ids"}, "i");
  file.node("SequenceConstruct", {"i"}, "z");
  file.node("Relu", {"x"}, "w");
  file.output("w");
  return file.bytes();
}

TEST_F(Inspect, ListsObstaclesAndRemedies) {
  write("unfinished.onnx", unfinished());
  EXPECT_EQ(systole({"inspect", path("unfinished.onnx")}), kMissing) << errors_;
  expect_part(
      "missing dynamic shape of ids\n        input 'ids': dimension 1 ('sequence') is dynamic; its size must be "
      "given\n  "
      "      remedy: give the sizes with --dimension NAME=SIZE");
  expect_part(
      "missing 2 x Frobnicate (unknown operator): #0, #1\n        node 0 (Frobnicate ''): is not supported\n        "
      "remedy: ");
  expect_part("missing SequenceConstruct (sequence): #4\n");
  expect_part("?       2 operators after these, #2, #3: ");
  expect_part("result  does not run\n");
  EXPECT_EQ(systole({"inspect", path("unfinished.onnx"), "--dimension", "sequence=8", "--json", "-"}), kMissing)
      << errors_;
  const auto json = nlohmann::json::parse(output_);
  EXPECT_EQ(json["runs"], false);
  ASSERT_EQ(json["missing"].size(), 3U);
  EXPECT_EQ(json["missing"][1]["place"], 1);
  EXPECT_EQ(json["open_dimensions"][0]["size"], 8);
  EXPECT_EQ(json["not_read"][2]["supported"], nullptr);
  // Running it requires all operators.
  EXPECT_EQ(systole({"compile", path("unfinished.onnx"), "-o", path("x.systole")}), kBadInput);
  expect_part(
      "4 obstacles: 1 x dynamic shape, 2 x Frobnicate (unknown operator), 1 x SequenceConstruct (sequence); systole "
      "inspect lists them");
}

TEST_F(Inspect, EveryCommandAcceptsDimension) {
  graph::test::OnnxBuilder file;
  file.input("x", {1, 4, 4}).output("y");
  file.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_param(
      "n");
  file.node("Relu", {"x"}, "y");
  write("open.onnx", file.bytes());
  EXPECT_EQ(systole({"inspect", path("open.onnx"), "--dimension", "n=5"}), kOk) << errors_;
  expect_part("input   x  1x5x4 float32\n");
  EXPECT_EQ(
      systole({"compile", path("open.onnx"), "--dimension", "n=5", "--config", "tiny", "-o", path("open.systole")}),
      kOk)
      << errors_;
  EXPECT_EQ(systole({"run", path("open.onnx"), "--dimension", "n=5", "--device", "host"}), kOk) << errors_;
  EXPECT_EQ(systole({"quantize", path("open.onnx"), "--dimension", "n", "--calibrate", path("none.npy")}), kBadInput);
  expect_part("--dimension: 'n'; it is NAME=SIZE");
  EXPECT_EQ(systole({"inspect", path("open.onnx"), "--dimension", "m=5"}), kBadInput);
  expect_part(
      "dimension 'm' is given, but the file has no dynamic dimension of this name; it has: 'n' (axis 1 of input 'x')");
  EXPECT_EQ(systole({"inspect", path("small.tflite"), "--dimension", "n=5"}), kBadInput);
  expect_part("the shapes of a TensorFlow Lite file are fixed");
  EXPECT_EQ(systole({"inspect", path("open.systole"), "--dimension", "n=5"}), kBadInput);
  expect_part("has fixed sizes; give them when it is made from a model");
}

TEST_F(Inspect, PrintsTheCommandThatRuns) {
  graph::test::OnnxBuilder file;
  file.input("x", {1, 4, 4}).input("axes", {1}, onnx::TensorProto::INT64).output("y");
  file.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_value(
      -1);
  file.node("ReduceSum", {"x", "axes"}, "y");
  write("open.onnx", file.bytes());
  EXPECT_EQ(systole({"inspect", path("open.onnx")}), kBadInput) << errors_;
  expect_part("result  needs values; with your numbers:\n  systole inspect " + path("open.onnx") +
              " --dimension x:1=SIZE\n");
  EXPECT_EQ(systole({"inspect", path("open.onnx"), "--dimension", "x:1=3"}), kBadInput) << errors_;
  expect_part("\n  systole inspect " + path("open.onnx") + " --dimension x:1=3 --constant axes=VALUE\n");
  EXPECT_EQ(systole({"inspect", path("open.onnx"), "--dimension", "x:1=3", "--json", "-"}), kBadInput);
  EXPECT_EQ(nlohmann::json::parse(output_)["missing"][0]["options"][0], "--constant axes=VALUE");
  EXPECT_EQ(systole({"inspect", path("open.onnx"), "--dimension", "x:1=3", "--constant", "axes=1"}), kOk) << errors_;
}

TEST_F(Inspect, EveryCommandAcceptsConstant) {
  graph::test::OnnxBuilder file;
  file.input("x", {1, 4}).input("axes", {1}, onnx::TensorProto::INT64).output("y");
  file.node("ReduceSum", {"x", "axes"}, "y");
  write("sum.onnx", file.bytes());
  npy::write(path("axes.npy"), graph::make_value<std::int64_t>(graph::ElementType::kInt64, {1}, {1}));
  for (const std::string& value : {std::string("[1]"), path("axes.npy")}) {
    const std::string option = "axes=" + value;
    EXPECT_EQ(systole({"inspect", path("sum.onnx"), "--constant", option}), kOk) << errors_;
    EXPECT_EQ(systole({"run", path("sum.onnx"), "--constant", option, "--device", "host"}), kOk) << errors_;
    EXPECT_EQ(
        systole({"compile", path("sum.onnx"), "--constant", option, "--config", "tiny", "-o", path("sum.systole")}),
        kOk)
        << errors_;
  }
  EXPECT_EQ(systole({"quantize", path("sum.onnx"), "--constant", "axes", "--calibrate", path("none.npy")}), kBadInput);
  expect_part("--constant: 'axes'; it is NAME=VALUE");
  EXPECT_EQ(systole({"inspect", path("sum.onnx"), "--constant", "axes=1", "--constant", "axes=0"}), kBadInput);
  expect_part("--constant: 'axes' is given twice");
  EXPECT_EQ(systole({"inspect", path("sum.onnx"), "--constant", "axis=1"}), kBadInput);
  expect_part("constant 'axis' is given, but the file has no input of this name; it has: 'x', 'axes'");
  EXPECT_EQ(systole({"inspect", path("sum.onnx"), "--constant", "axes=missing.npy"}), kBadInput);
  expect_part("--constant axes: missing.npy: No such file");
  EXPECT_EQ(systole({"inspect", path("small.tflite"), "--constant", "axes=1"}), kBadInput);
  expect_part("a TensorFlow Lite file has its parameters inside");
  EXPECT_EQ(systole({"inspect", path("sum.systole"), "--constant", "axes=1"}), kBadInput);
  expect_part("has its constants inside; give them when it is made from a model");
}

/// A softmax with an output scale that neither device nor host computes.
graph::Bytes refused_softmax() {
  graph::test::ModelBuilder m;
  const auto x = m.tensor({{1, 8}, graph::test::ElementKind::INT8, {}, {0.1F}, {0}});
  const auto y = m.tensor({{1, 8}, graph::test::ElementKind::INT8, {}, {0.5F}, {0}});
  m.op(graph::test::Code::SOFTMAX, {x}, {y}, graph::test::format::Options::SoftmaxOptions,
       graph::test::format::CreateSoftmaxOptions(m.builder, 1.0F).Union());
  return m.finish({x}, {y});
}

TEST_F(Inspect, ShowsWhatNothingComputes) {
  write("refused.tflite", refused_softmax());
  EXPECT_EQ(systole({"inspect", path("refused.tflite")}), kMissing) << errors_;
  expect_part("\nresult  does not run\n");
  EXPECT_EQ(output_.find("\nhost "), std::string::npos) << output_;
  EXPECT_EQ(systole({"inspect", path("refused.tflite"), "--json", "-"}), kMissing) << errors_;
  const auto json = nlohmann::json::parse(output_);
  EXPECT_EQ(json["runs"], false);
  EXPECT_EQ(json["operators"][0]["runs_on"], nullptr);
  EXPECT_EQ(json["host"]["operators"], 0);
  EXPECT_EQ(json["missing"][0]["kind"], "not supported");
  EXPECT_NE(systole({"run", path("refused.tflite"), "--device", "model"}), kOk);
}

TEST_F(Inspect, CountsWhatNothingComputesNeitherForDeviceNorForHost) {
  Inspection inspection = inspect(read_contents(path("small.tflite"), {}), find_configuration("tiny"));
  inspection.plan.at(0) = {false, "", "no such scales"};
  const auto json = to_json(inspection);
  EXPECT_EQ(json["operators"][0]["macs"], 648);
  EXPECT_EQ(json["device"]["macs"], 0);
  EXPECT_EQ(json["host"]["macs"], 0);
}

TEST_F(Inspect, SuggestsQuantizeForFloatNetworks) {
  graph::test::OnnxBuilder file;
  file.input("x", {64, 128}).constant("w", {128, 64}, graph::test::some<float>(8192)).output("y");
  file.node("MatMul", {"x", "w"}, "y");
  write("float.onnx", file.bytes());
  EXPECT_EQ(systole({"inspect", path("float.onnx")}), kOk) << errors_;
  expect_part("a product of float32 with over 2^18 multiplications");
  expect_part("  systole quantize " + path("float.onnx") + " --calibrate SAMPLES.npy -o float.systole\n");
}

TEST_F(Inspect, NarrowTablesDropColumns) {
  const Inspection inspection = inspect(graph::read_model(path("small.tflite")), configurations().front());
  const std::string wide = text_of(inspection, "small.tflite", {}, 200);
  const std::string narrow = text_of(inspection, "small.tflite", {}, 60);
  EXPECT_NE(wide.find("quantization"), std::string::npos);
  EXPECT_EQ(narrow.find("quantization"), std::string::npos);
  EXPECT_NE(narrow.find("  #  operator  "), std::string::npos) << narrow;
  const std::size_t table = narrow.find("  #  operator");
  EXPECT_LE(narrow.find('\n', table) - table, 60U) << narrow;
}

TEST_F(Inspect, ShortensLongNamesInMiddle) {
  EXPECT_EQ(shortened("short", 9), "short");
  EXPECT_EQ(shortened("from here to there", 11), "from...here");
}

TEST_F(Inspect, ReadsOnnxWithDynamicBatch) {
  graph::test::OnnxBuilder file;
  file.input("x", {1, 4}).output("y");
  file.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(
      "N");
  file.node("Relu", {"x"}, "y");
  write("open.onnx", file.bytes());
  ASSERT_EQ(systole({"inspect", path("open.onnx")}), kOk) << errors_;
  EXPECT_NE(output_.find("input   x  1x4 float32\n"), std::string::npos) << output_;
}

TEST_F(Inspect, RejectsDamagedFiles) {
  graph::Bytes bytes = graph::test::small_model();
  bytes.resize(bytes.size() / 2);
  write("half.tflite", bytes);
  EXPECT_EQ(systole({"inspect", path("half.tflite")}), kBadInput);
  EXPECT_EQ(errors_.find("error: " + path("half.tflite") + ": truncated or damaged"), 0U) << errors_;
}

}  // namespace
}  // namespace systole::cli
