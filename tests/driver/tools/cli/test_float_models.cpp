// SPDX-License-Identifier: Apache-2.0
// The same float network as TensorFlow Lite and as ONNX, judged against expected outputs; and a network with variables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "../../compiler/frontends/model_builder.hpp"
#include "../../compiler/frontends/onnx/onnx_builder.hpp"
#include "exit_codes.hpp"
#include "npy.hpp"
#include "program_fixture.hpp"

namespace systole::cli {
namespace {

using graph::test::Code;
using graph::test::ElementKind;
using testing::HasSubstr;
namespace format = graph::test::format;

constexpr std::int64_t kWide = 24, kNarrow = 10;

std::vector<float> first_weights() { return graph::test::some<float>(kWide * kWide, 1); }
std::vector<float> second_weights() { return graph::test::some<float>(kNarrow * kWide, 2); }
std::vector<float> summand() { return graph::test::some<float>(kWide, 3); }

/// Dense with a ReLU, an addition, a sigmoid, dense, softmax.
graph::Bytes as_tflite() {
  graph::test::ModelBuilder m;
  const auto row = [&](std::int64_t size) { return m.tensor({{1, static_cast<std::int32_t>(size)}}); };
  const auto weights = [&](std::vector<std::int32_t> shape, const std::vector<float>& values) {
    return m.tensor({std::move(shape), ElementKind::FLOAT32, graph::test::bytes_of(values)});
  };
  const auto dense = [&](std::int32_t from, std::int32_t by, std::int32_t to, format::FusedActivation activation) {
    m.op(Code::FULLY_CONNECTED, {from, by}, {to}, format::Options::FullyConnectedOptions,
         format::CreateFullyConnectedOptions(m.builder, activation).Union());
  };
  const auto x = row(kWide), a = row(kWide), b = row(kWide), c = row(kWide), d = row(kNarrow), y = row(kNarrow);
  dense(x, weights({kWide, kWide}, first_weights()), a, format::FusedActivation::RELU);
  m.op(Code::ADD, {a, weights({kWide}, summand())}, {b});
  m.op(Code::LOGISTIC, {b}, {c});
  dense(c, weights({kNarrow, kWide}, second_weights()), d, format::FusedActivation::NONE);
  m.op(Code::SOFTMAX, {d}, {y}, format::Options::SoftmaxOptions, format::CreateSoftmaxOptions(m.builder, 1).Union());
  return m.finish({x}, {y});
}

graph::Bytes as_onnx() {
  graph::test::OnnxBuilder file;
  file.input("x", {1, kWide}).output("y");
  file.constant("w1", {kWide, kWide}, first_weights());
  file.constant("w2", {kNarrow, kWide}, second_weights());
  file.constant("s", {kWide}, summand());
  const auto gemm = [&](const char* from, const char* by, const char* to) {
    auto& attribute = *file.node("Gemm", {from, by}, to).add_attribute();
    attribute.set_name("transB");
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(1);
  };
  gemm("x", "w1", "p");
  file.node("Relu", {"p"}, "a");
  file.node("Add", {"a", "s"}, "b");
  file.node("Sigmoid", {"b"}, "c");
  gemm("c", "w2", "d");
  file.node("Softmax", {"d"}, "y");
  return file.bytes();
}

class FloatModels : public ProgramTest {
 protected:
  FloatModels() : ProgramTest("systole_float_models") {
    write("a.tflite", as_tflite());
    write("b.onnx", as_onnx());
    constexpr std::int64_t kSamples = 3;
    npy::write(path("x.npy"), graph::make_value(graph::ElementType::kFloat32, {kSamples, kWide},
                                                graph::test::some<float>(kSamples * kWide, 4)));
  }

  /// Each operator's kind, and where it runs.
  std::vector<std::string> placement(const std::string& model) {
    EXPECT_EQ(systole({"inspect", path(model), "--config", "tiny", "--json", "-"}), kOk) << errors_;
    std::vector<std::string> result;
    const auto json = nlohmann::json::parse(output_);
    for (const auto& op : json.at("operators")) {
      result.push_back(op.at("kind").get<std::string>() + " " + op.at("runs_on").get<std::string>());
    }
    return result;
  }

  /// Runs a network on the functional model, and returns the exit code.
  int run_on(const std::string& model, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run",      path(model), "--device", "model",
                                      "--config", "tiny",      "--input",  path("x.npy")};
    words.insert(words.end(), more.begin(), more.end());
    return systole(words);
  }
};

TEST_F(FloatModels, OfBothFormatsRunInTheSamePlaces) {
  const std::vector<std::string> places = placement("a.tflite");
  EXPECT_EQ(places, placement("b.onnx"));
  EXPECT_THAT(places, testing::Contains(HasSubstr("device")));
}

TEST_F(FloatModels, OfBothFormatsGiveTheSameNumbers) {
  for (const std::vector<std::string>& precision : {std::vector<std::string>{}, {"--precision", "mx"}}) {
    for (const char* model : {"a.tflite", "b.onnx"}) {
      std::vector<std::string> words = precision;
      words.insert(words.end(), {"--output", path(std::string(model) + ".npy")});
      ASSERT_EQ(run_on(model, words), kOk) << errors_;
      EXPECT_THAT(output_, HasSubstr("bit-exact"));
    }
    EXPECT_EQ(read("a.tflite.npy"), read("b.onnx.npy"));
  }
}

TEST_F(FloatModels, InBlocksAreJudgedBySignalToNoise) {
  ASSERT_EQ(run_on("b.onnx", {"--output", path("y.npy")}), kOk) << errors_;
  ASSERT_EQ(run_on("b.onnx", {"--precision", "mx", "--expect", path("y.npy"), "--json", path("run.json")}), kOk)
      << output_ << errors_;
  EXPECT_THAT(output_, HasSubstr("within tolerance"));
  EXPECT_THAT(output_, HasSubstr("dB, the limit is 20 dB"));
  const graph::Bytes text = read("run.json");
  const auto compared = nlohmann::json::parse(text.begin(), text.end()).at("compared");
  EXPECT_GT(compared.at("signal_to_noise_db").get<double>(), 20);
  EXPECT_EQ(compared.at("least_signal_to_noise_db"), 20);
  EXPECT_EQ(run_on("b.onnx", {"--precision", "mx", "--expect", path("y.npy"), "--min-sqnr", "150"}), kMismatch);
  EXPECT_THAT(errors_, HasSubstr("dB; at least 150 dB is asked for"));
  EXPECT_THAT(errors_, HasSubstr("--min-sqnr DB sets another limit"));
  EXPECT_EQ(run_on("b.onnx", {"--precision", "mx", "--expect", path("y.npy"), "--tolerance", "0"}), kMismatch);
  EXPECT_EQ(run_on("b.onnx", {"--expect", path("y.npy"), "--min-sqnr", "20", "--tolerance", "0"}), kBadInput);
}

TEST_F(FloatModels, WithoutThatNumbersAreJudgedOneByOne) {
  npy::write(path("zeros.npy"),
             graph::make_value(graph::ElementType::kFloat32, {3, kNarrow}, std::vector<float>(3 * kNarrow)));
  EXPECT_EQ(run_on("b.onnx", {"--expect", path("zeros.npy")}), kMismatch);
  EXPECT_THAT(errors_, HasSubstr("--tolerance ABSOLUTE,RELATIVE allows such differences"));
  EXPECT_EQ(errors_.find("the host computes") != std::string::npos,
            testing::Matches(testing::Contains(HasSubstr("host")))(placement("b.onnx")));
}

TEST_F(FloatModels, ValuesWithNamesHaveNoNumbers) {
  EXPECT_EQ(run_on("b.onnx", {"--precision", "2"}), kBadInput);
  EXPECT_THAT(errors_, HasSubstr("'2' is none of int8, mx"));
  ASSERT_EQ(systole({"run", "--help"}), kOk);
  EXPECT_THAT(output_, HasSubstr("--precision {int8,mx}"));
  for (const char* command : {"run", "compile", "quantize", "train", "bench", "generate"}) {
    systole({command, "--help"});
    EXPECT_THAT(output_, testing::Not(HasSubstr("->"))) << command;
  }
  EXPECT_EQ(systole({"quantize", path("b.onnx"), "--calibrate", path("x.npy"), "--equalize", "1"}), kBadInput);
  EXPECT_THAT(errors_, HasSubstr("'1' is none of auto, off, on"));
}

TEST_F(FloatModels, OfElementsOnlyAreNotToldOfProducts) {
  graph::test::OnnxBuilder file;
  file.input("x", {1, kWide}).output("y");
  file.node("Relu", {"x"}, "y");
  write("elements.onnx", file.bytes());
  ASSERT_EQ(run_on("elements.onnx", {}), kOk) << errors_;
  EXPECT_THAT(output_, testing::Not(HasSubstr("nothing is int8")));
  ASSERT_EQ(systole({"inspect", path("elements.onnx")}), kOk) << errors_;
  EXPECT_THAT(output_, testing::Not(HasSubstr("Nothing is quantized")));
}

/// y = sum = sum + x, of bytes.
graph::Bytes with_a_variable() {
  graph::test::ModelBuilder m;
  const auto byte = [&] { return m.tensor({{1}, ElementKind::INT8, {}, {1.0F}, {0}}); };
  const auto x = byte(), before = byte(), after = byte();
  const auto sum = m.variable("sum");
  m.op(Code::READ_VARIABLE, {sum}, {before});
  m.op(Code::ADD, {before, x}, {after});
  m.op(Code::ASSIGN_VARIABLE, {sum, after}, {});
  return m.finish({x}, {after});
}

TEST_F(FloatModels, KeepVariablesFromSampleToSample) {
  write("sum.tflite", with_a_variable());
  const auto bytes = [&](const char* name, const std::vector<std::int8_t>& values) {
    npy::write(path(name), graph::make_value(graph::ElementType::kInt8, {3, 1}, values));
  };
  bytes("x.npy", {1, 2, 3});
  bytes("sums.npy", {1, 3, 6});
  ASSERT_EQ(systole({"compile", path("sum.tflite"), "--config", "tiny", "-o", path("sum.systole")}), kOk) << errors_;
  for (const char* model : {"sum.tflite", "sum.systole"}) {
    EXPECT_EQ(run_on(model, {"--expect", path("sums.npy")}), kOk) << output_ << errors_;
    EXPECT_EQ(run_on(model, {"--reset-state", "--expect", path("x.npy")}), kOk) << output_ << errors_;
    EXPECT_EQ(run_on(model, {"--reset-state", "--expect", path("sums.npy")}), kMismatch);
    EXPECT_EQ(run_on(model, {"--batch", "3"}), kBadInput);
  }
  EXPECT_EQ(
      systole({"run", path("sum.tflite"), "--device", "host", "--input", path("x.npy"), "--expect", path("sums.npy")}),
      kOk)
      << output_ << errors_;
  ASSERT_EQ(systole({"inspect", path("sum.tflite")}), kOk) << errors_;
  expect_part("state   ");
  EXPECT_EQ(systole({"quantize", path("sum.tflite"), "--calibrate", path("x.npy")}), kBadInput);
}

}  // namespace
}  // namespace systole::cli
