// SPDX-License-Identifier: Apache-2.0
// `systole inspect` on a small network.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../import/model_builder.hpp"
#include "../import/onnx/onnx_builder.hpp"
#include "commands.hpp"
#include "errors.hpp"

namespace systole::cli {
namespace {

class Inspect : public testing::Test {
 protected:
  Inspect() { write(graph::test::small_model()); }
  ~Inspect() override { std::filesystem::remove(path_); }

  void write(const graph::Bytes& bytes) {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  /// Exit code; output and errors are kept.
  int run_program(const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"systole", "inspect", path_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run(arguments);
    output_ = testing::internal::GetCapturedStdout();
    errors_ = testing::internal::GetCapturedStderr();
    return code;
  }

  std::string path_ = testing::TempDir() + "/systole_inspect.tflite";
  std::string output_, errors_;
};

TEST_F(Inspect, ListsOperators) {
  ASSERT_EQ(run_program(), kOk) << errors_;
  EXPECT_EQ(output_.find("systole_inspect  2 operators, 648 multiply-accumulates, 88 bytes of constants\n"), 0U) << output_;
  EXPECT_NE(output_.find("CONV_2D   3x3 stride 2x2 pad 1,1,1,1 relu6  1x3x3x4  int8  scale 0.25, zero point -128"), std::string::npos) << output_;
}

TEST_F(Inspect, WritesJson) {
  ASSERT_EQ(run_program({"--json", "-"}), kOk) << errors_;
  const auto json = nlohmann::json::parse(output_);
  EXPECT_EQ(json["macs"], 648);
  EXPECT_EQ(json["operators"][1]["origin"], "SOFTMAX");
}

TEST_F(Inspect, ReadsOnnxWithAnOpenBatch) {
  graph::test::OnnxBuilder file;
  file.input("x", {1, 4}).output("y");
  file.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("N");
  file.node("Relu", {"x"}, "y");
  std::filesystem::remove(path_);
  path_ = testing::TempDir() + "/systole_inspect.onnx";
  write(file.bytes());
  ASSERT_EQ(run_program(), kOk) << errors_;
  EXPECT_NE(output_.find("input   x  1x4 float32\n"), std::string::npos) << output_;
}

TEST_F(Inspect, DamagedFilesAreWrongInput) {
  graph::Bytes bytes = graph::test::small_model();
  bytes.resize(bytes.size() / 2);
  write(bytes);
  EXPECT_EQ(run_program(), kBadInput);
  EXPECT_EQ(errors_.find("error: " + path_ + ": truncated or damaged"), 0U) << errors_;
}

}  // namespace
}  // namespace systole::cli
