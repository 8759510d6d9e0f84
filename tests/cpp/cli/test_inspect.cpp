// SPDX-License-Identifier: Apache-2.0
// `systole inspect` on a small network.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../import/model_builder.hpp"
#include "../import/onnx/onnx_builder.hpp"
#include "errors.hpp"
#include "program_fixture.hpp"

namespace systole::cli {
namespace {

class Inspect : public ProgramTest {
 protected:
  Inspect() : ProgramTest("systole_inspect") { write("small.tflite", graph::test::small_model()); }
};

TEST_F(Inspect, ListsOperators) {
  ASSERT_EQ(systole({"inspect", path("small.tflite")}), kOk) << errors_;
  EXPECT_EQ(output_.find("small  2 operators, 648 multiply-accumulates, 88 bytes of constants\n"), 0U) << output_;
  EXPECT_NE(output_.find("CONV_2D   3x3 stride 2x2 pad 1,1,1,1 relu6  1x3x3x4  int8  scale 0.25, zero point -128"), std::string::npos) << output_;
}

TEST_F(Inspect, WritesJson) {
  ASSERT_EQ(systole({"inspect", path("small.tflite"), "--json", "-"}), kOk) << errors_;
  const auto json = nlohmann::json::parse(output_);
  EXPECT_EQ(json["macs"], 648);
  EXPECT_EQ(json["operators"][1]["origin"], "SOFTMAX");
}

TEST_F(Inspect, ReadsOnnxWithAnOpenBatch) {
  graph::test::OnnxBuilder file;
  file.input("x", {1, 4}).output("y");
  file.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("N");
  file.node("Relu", {"x"}, "y");
  write("open.onnx", file.bytes());
  ASSERT_EQ(systole({"inspect", path("open.onnx")}), kOk) << errors_;
  EXPECT_NE(output_.find("input   x  1x4 float32\n"), std::string::npos) << output_;
}

TEST_F(Inspect, DamagedFilesAreWrongInput) {
  graph::Bytes bytes = graph::test::small_model();
  bytes.resize(bytes.size() / 2);
  write("half.tflite", bytes);
  EXPECT_EQ(systole({"inspect", path("half.tflite")}), kBadInput);
  EXPECT_EQ(errors_.find("error: " + path("half.tflite") + ": truncated or damaged"), 0U) << errors_;
}

}  // namespace
}  // namespace systole::cli
