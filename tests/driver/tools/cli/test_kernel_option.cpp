// SPDX-License-Identifier: Apache-2.0
// --kernel: networks with an operator that ONNX does not have.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../../compiler/frontends/model_builder.hpp"
#include "../../compiler/frontends/onnx/onnx_builder.hpp"
#include "exit_codes.hpp"
#include "npy.hpp"
#include "program_fixture.hpp"

namespace systole::cli {
namespace {

constexpr std::int64_t kIn = 6, kOut = 4, kSamples = 3;

/// A product, then my.Softsign with an attribute, or what that is made of.
graph::Bytes network(bool own) {
  graph::test::OnnxBuilder file;
  file.input("x", {1, kIn}).output("y");
  file.constant("w", {kIn, kOut}, graph::test::some<float>(kIn * kOut, 1));
  file.node("MatMul", {"x", "w"}, "h");
  if (own) {
    onnx::NodeProto& node = file.node("Softsign", {"h"}, "y");
    node.set_domain("my");
    auto& attribute = *node.add_attribute();
    attribute.set_name("steepness");
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(2);
    return file.bytes();
  }
  file.constant("steepness", {}, std::vector<float>{2});
  file.constant("one", {}, std::vector<float>{1});
  file.node("Mul", {"h", "steepness"}, "s");
  file.node("Abs", {"s"}, "a");
  file.node("Add", {"a", "one"}, "b");
  file.node("Div", {"s", "b"}, "y");
  return file.bytes();
}

class KernelOption : public ProgramTest {
 protected:
  KernelOption() : ProgramTest("systole_kernel_option") {
    write("own.onnx", network(true));
    write("plain.onnx", network(false));
    const nlohmann::json formula = {{"formula", 1},
                                    {"operands", {"x"}},
                                    {"attributes", {{"steepness", 1.0}}},
                                    {"steps",
                                     {{{"name", "s"}, {"operator", "multiply"}, {"of", {"x", "steepness"}}},
                                      {{"name", "a"}, {"operator", "abs"}, {"of", {"s"}}},
                                      {{"name", "b"}, {"operator", "add"}, {"of", {"a", 1}}},
                                      {{"name", "y"}, {"operator", "divide"}, {"of", {"s", "b"}}}}},
                                    {"results", {"y"}}};
    write_text("softsign.json", formula.dump());
    npy::write(path("x.npy"),
               make_value(graph::ElementType::kFloat32, {kSamples, kIn}, graph::test::some<float>(kSamples * kIn, 2)));
  }

  void write_text(const std::string& name, const std::string& text) const { write(name, {text.begin(), text.end()}); }
  std::string softsign() const { return "my.Softsign=" + path("softsign.json"); }

  /// `parts` of the message of a command that the user has to mend.
  void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    EXPECT_EQ(systole(arguments), kBadInput);
    for (const std::string& part : parts) {
      expect_part(part);
    }
  }
};

TEST_F(KernelOption, RunsAsWhatTheFormulaSays) {
  ASSERT_EQ(systole({"run", path("plain.onnx"), "--input", path("x.npy"), "--output", path("y.npy"), "--device",
                     "model", "--config", "tiny"}),
            kOk)
      << errors_;
  for (const char* device : {"model", "host"}) {
    ASSERT_EQ(systole({"run", path("own.onnx"), "--kernel", softsign(), "--input", path("x.npy"), "--expect",
                       path("y.npy"), "--tolerance", "0", "--device", device, "--config", "tiny"}),
              kOk)
        << errors_;
    expect_part("bit-exact, 12 values against");
  }
}

TEST_F(KernelOption, IsAnOptionOfAllCommandsThatReadNetworks) {
  ASSERT_EQ(
      systole({"compile", path("own.onnx"), "--kernel", softsign(), "-o", path("own.systole"), "--config", "tiny"}),
      kOk)
      << errors_;
  ASSERT_EQ(systole({"run", path("own.systole"), "--input", path("x.npy"), "--device", "model"}), kOk) << errors_;
  ASSERT_EQ(systole({"inspect", path("own.onnx"), "--kernel", softsign()}), kOk) << errors_;
  expect_part("Softsign  4 operators");
  expect_part("  systole quantize " + path("own.onnx") + " --kernel " + softsign() + " --calibrate SAMPLES.npy -o ");
  ASSERT_EQ(systole({"quantize", path("own.onnx"), "--kernel", softsign(), "--calibrate", path("x.npy"), "-o",
                     path("q.systole")}),
            kOk)
      << errors_;
  for (const char* command : {"run", "compile", "inspect", "quantize", "train"}) {
    ASSERT_EQ(systole({command, "--help"}), kOk);
    expect_part("--kernel NAME=FILE");
    expect_part("--kernel my.Softsign=softsign.json");
  }
}

TEST_F(KernelOption, UnknownOperatorNamesTheOption) {
  expect_refused({"run", path("own.onnx")}, {"node 1 (my.Softsign", "--kernel my.Softsign=FILE"});
}

TEST_F(KernelOption, WhatIsWrongIsNamed) {
  const std::string own = path("own.onnx");
  expect_refused({"run", own, "--kernel", "my.Softsign"}, {"'my.Softsign'", "DOMAIN.TYPE=FILE"});
  expect_refused({"run", own, "--kernel", softsign(), "--kernel", softsign()}, {"'my.Softsign' is given twice"});
  expect_refused({"run", own, "--kernel", "my.Softsign=" + path("no.json")},
                 {"--kernel my.Softsign: ", "no.json", "No such file"});
  expect_refused({"run", own, "--kernel", "my.Softsign=relu.tpuk"}, {"relu.tpuk: is a kernel of the vector processor"});
  expect_refused({"run", own, "--kernel", softsign(), "--kernel", "my.Mish=" + path("softsign.json")},
                 {"--kernel my.Mish: ", "own.onnx has no operator of this domain and type", "leave the option out"});
  expect_refused({"inspect", own, "--kernel", softsign(), "--kernel", "my.Mish=" + path("softsign.json")},
                 {"--kernel my.Mish: "});
  for (const char* standard : {"Relu", "ai.onnx.Relu", "com.microsoft.FastGelu"}) {
    expect_refused(
        {"run", own, "--kernel", softsign(), "--kernel", std::string(standard) + "=" + path("softsign.json")},
        {fmt::format("operator '{}' is given, but it is a standard one", standard), "such as 'my."});
  }
}

TEST_F(KernelOption, OperandsOfANodeThatDoNotFit) {
  graph::test::OnnxBuilder file;
  file.input("x", {1, kIn}).output("y");
  file.node("Softsign", {"x", "x"}, "y").set_domain("my");
  write("two.onnx", file.bytes());
  expect_refused({"run", path("two.onnx"), "--kernel", softsign()},
                 {"two.onnx: node 0 (my.Softsign", "has 2 operands; ", "softsign.json takes 1: x"});
}

TEST_F(KernelOption, FilesWithoutOperatorsOfOnesOwn) {
  write("small.tflite", graph::test::small_model());
  expect_refused({"run", path("small.tflite"), "--kernel", softsign()}, {"small.tflite has no operator"});
  ASSERT_EQ(systole({"compile", path("plain.onnx"), "-o", path("plain.systole"), "--config", "tiny"}), kOk);
  expect_refused({"run", path("plain.systole"), "--kernel", softsign()},
                 {"plain.systole has its operators inside", "when it is made from a model"});
}

}  // namespace
}  // namespace systole::cli
