// SPDX-License-Identifier: Apache-2.0
// Notes of `systole inspect` and `systole run` about operators that take long on the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../../compiler/frontends/onnx/onnx_builder.hpp"
#include "exit_codes.hpp"
#include "program_fixture.hpp"

namespace systole::cli {
namespace {

using graph::test::OnnxBuilder;
using graph::test::some;
using testing::HasSubstr;
using testing::Not;

void add_string(onnx::NodeProto& node, const char* name, const char* value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(value);
}

void add_integer(onnx::NodeProto& node, const char* name, std::int64_t value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

class ExecutionNotes : public ProgramTest {
 protected:
  ExecutionNotes() : ProgramTest("systole_execution_notes") {}

  /// Both commands must print the note.
  void expect_note(OnnxBuilder& file, const std::string& note) {
    write("x.onnx", file.bytes());
    ASSERT_EQ(systole({"inspect", path("x.onnx"), "--config", "tiny"}), kOk) << errors_;
    EXPECT_THAT(output_, HasSubstr("\nnote    " + note + "\n"));
    ASSERT_EQ(run({}), kOk) << errors_;
    EXPECT_THAT(output_, HasSubstr("\n           " + note + "\n"));
  }

  int run(const std::vector<std::string>& more) {
    std::vector<std::string> all = {"run", path("x.onnx"), "--device", "model", "--config", "tiny"};
    all.insert(all.end(), more.begin(), more.end());
    return systole(all);
  }
};

TEST_F(ExecutionNotes, ConvTransposeOfFloat32) {
  OnnxBuilder file;
  file.input("x", {1, 4, 6, 6}).constant("w", {4, 5, 3, 3}, some<float>(4 * 5 * 9)).output("y");
  file.node("ConvTranspose", {"x", "w"}, "y");
  expect_note(file,
              "1 product of float32, 11,520 MACs (ConvTranspose), runs on the vector processor, element by element; "
              "the matrix unit computes products of int8 (systole quantize) and of blocks (--precision mx)");
  ASSERT_EQ(run({"--precision", "mx"}), kOk) << errors_;
  EXPECT_THAT(output_, Not(HasSubstr("element by element")));
}

TEST_F(ExecutionNotes, LstmOfFloat32) {
  constexpr int kInputs = 3, kHidden = 2, kLength = 4;
  OnnxBuilder file;
  file.input("x", {kLength, 1, kInputs}).output("y");
  file.constant("w", {2, 4 * kHidden, kInputs}, some<float>(2 * 4 * kHidden * kInputs));
  file.constant("r", {2, 4 * kHidden, kHidden}, some<float>(2 * 4 * kHidden * kHidden));
  onnx::NodeProto& lstm = file.node("LSTM", {"x", "w", "r"}, "y");
  add_integer(lstm, "hidden_size", kHidden);
  add_string(lstm, "direction", "bidirectional");
  // The input's products are one for all steps of a direction; the first step has no product of the hidden state.
  expect_note(file,
              "8 products of float32, 288 MACs (LSTM), run on the vector processor, element by element; the matrix "
              "unit computes products of int8 (systole quantize) and of blocks (--precision mx)");
}

TEST_F(ExecutionNotes, DynamicQuantization) {
  OnnxBuilder file;
  file.input("x", {2, 8}).constant("w", {8, 4}, some<std::int8_t>(32)).output("y");
  onnx::NodeProto& quantize = file.node("DynamicQuantizeLinear", {"x"}, "q");
  quantize.add_output("scale");
  quantize.add_output("zero");
  onnx::NodeProto& product = file.node("MatMulInteger", {"q", "w"}, "sums");
  product.add_input("zero");
  add_integer(file.node("Cast", {"sums"}, "real"), "to", onnx::TensorProto::FLOAT);
  file.node("Mul", {"real", "scale"}, "y");
  const std::string note =
      "1 tensor is quantized in each run by a scale computed from its elements (DynamicQuantizeLinear), in float32 on "
      "the vector processor; with scales in the file (quantize_static) results stay int8 from layer to layer";
  expect_note(file, note);
  ASSERT_EQ(systole({"inspect", path("x.onnx"), "--json", "-"}), kOk) << errors_;
  EXPECT_EQ(nlohmann::json::parse(output_)["remarks"], nlohmann::json::array({note}));
}

TEST_F(ExecutionNotes, ProductsOnTheHostHaveTheirReasonAlone) {
  OnnxBuilder file;
  file.input("x", {64, 128}).constant("w", {128, 64}, some<float>(8192)).output("y");
  file.node("MatMul", {"x", "w"}, "y");
  write("x.onnx", file.bytes());
  ASSERT_EQ(systole({"inspect", path("x.onnx")}), kOk) << errors_;
  EXPECT_THAT(output_, Not(HasSubstr("element by element")));
}

/// The weights are int8 and the input is float32: in blocks the product is no longer in float32.
TEST_F(ExecutionNotes, ProductsInBlocksAreNotCalledFloat32) {
  OnnxBuilder file;
  file.input("x", {1, 4, 6, 6}).constant("w", {5, 4, 3, 3}, some<std::int8_t>(180)).output("y");
  file.constant("s", {}, std::vector<float>{0.01F});
  file.node("DequantizeLinear", {"w", "s"}, "real");
  file.node("Conv", {"x", "real"}, "y");
  write("x.onnx", file.bytes());
  ASSERT_EQ(run({}), kOk) << errors_;
  EXPECT_THAT(output_, HasSubstr("1 int8 convolution runs in float32 because"));
  ASSERT_EQ(run({"--precision", "mx"}), kOk) << errors_;
  EXPECT_THAT(output_, Not(HasSubstr("runs in float32")));
}

}  // namespace
}  // namespace systole::cli
