// SPDX-License-Identifier: Apache-2.0
// `systole quantize` on a small float network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "../../compiler/quantizer/float_network.hpp"
#include "exit_codes.hpp"
#include "npy.hpp"
#include "program_fixture.hpp"
#include "systole/container.hpp"

namespace systole::cli {
namespace {

using testing::HasSubstr;

class Quantize : public ProgramTest {
 protected:
  Quantize() : ProgramTest("systole_quantize") {
    quantizer::test::FloatNetwork net(1);
    const graph::TensorId image = net.conv(net.input({1, 6, 6, 2}), 4, 3);
    write("float.systole", container::save(net.finish({net.dense(net.flatten(image), 5)})));
    write_samples("x.npy", {40, 6, 6, 2});
  }

  void write_samples(const std::string& name, const graph::Shape& shape) const {
    std::vector<float> values(static_cast<std::size_t>(graph::count(shape)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::sin(static_cast<float>(i * i));
    }
    npy::write(path(name), graph::make_value(graph::ElementType::kFloat32, shape, values));
  }
};

TEST_F(Quantize, ProducesRunnableNetwork) {
  ASSERT_EQ(systole({"quantize", path("float.systole"), "--calibrate", path("x.npy"), "-o", path("int8.systole")}), kOk)
      << errors_;
  EXPECT_THAT(output_, HasSubstr("quantized by 40 samples"));
  EXPECT_THAT(output_, HasSubstr("int8"));
  ASSERT_EQ(systole({"run", path("int8.systole"), "--input", path("x.npy"), "--device", "model"}), kOk) << errors_;
  EXPECT_THAT(output_, HasSubstr("40 samples on model"));
  EXPECT_THAT(output_, HasSubstr("bit-exact"));
}

TEST_F(Quantize, AppliesOptions) {
  ASSERT_EQ(systole({"quantize", path("float.systole"), "--calibrate", path("x.npy"), "--count", "7", "--calibration",
                     "percentile", "--percentile", "99", "--equalize", "off", "--int8-border", "-o",
                     path("int8.systole"), "--json", "-"}),
            kOk)
      << errors_;
  const auto report = nlohmann::json::parse(output_);
  EXPECT_EQ(report.at("calibration_samples"), 7);
  EXPECT_FALSE(report.at("layers").empty());
  ASSERT_EQ(systole({"inspect", path("int8.systole")}), kOk) << errors_;
  EXPECT_EQ(output_.find("float32"), std::string::npos) << output_;
}

TEST_F(Quantize, RunQuantizesOnRequest) {
  ASSERT_EQ(systole({"run", path("float.systole"), "--device", "model", "--input", path("x.npy")}), kOk) << errors_;
  EXPECT_THAT(output_, HasSubstr("nothing is int8"));
  ASSERT_EQ(systole({"run", path("float.systole"), "--device", "model", "--calibrate", path("x.npy"), "--input",
                     path("x.npy")}),
            kOk)
      << errors_;
  EXPECT_THAT(output_, HasSubstr("quantize   to int8 by 40 samples of " + path("x.npy")));
  EXPECT_THAT(output_, HasSubstr("1 program of"));
  ASSERT_EQ(systole({"compile", path("float.systole"), "-o", path("compiled.systole")}), kOk) << errors_;
  EXPECT_EQ(systole({"run", path("compiled.systole"), "--device", "model", "--calibrate", path("x.npy")}), kBadInput);
  EXPECT_THAT(errors_, HasSubstr("is compiled already"));
}

TEST_F(Quantize, FloatRunsInBlocksWithoutSamples) {
  ASSERT_EQ(systole({"run", path("float.systole"), "--precision", "mx", "--device", "model", "--input", path("x.npy"),
                     "--count", "6", "--json", path("run.json")}),
            kOk)
      << errors_;
  EXPECT_THAT(output_, HasSubstr("quantize   2 of 3 operators to block floating point, the others are binary32"));
  EXPECT_THAT(output_, HasSubstr("0 operators on the host"));
  EXPECT_THAT(output_, HasSubstr("bit-exact"));
  EXPECT_THAT(output_, HasSubstr("against the float network on 4 samples"));
  const auto json = nlohmann::json::parse(read("run.json"));
  EXPECT_EQ(json.at("precision"), "mx");
  const auto& layers = json.at("loss").at("layers");
  EXPECT_EQ(std::count_if(layers.begin(), layers.end(), [](const auto& layer) { return layer.contains("blocks"); }), 2);

  ASSERT_EQ(systole({"compile", path("float.systole"), "--precision", "mx", "-o", path("mx.systole")}), kOk) << errors_;
  EXPECT_THAT(output_, HasSubstr("convert    2 of 3 operators to block floating point"));
  ASSERT_EQ(systole({"run", path("mx.systole"), "--device", "model", "--input", path("x.npy"), "--count", "1"}), kOk)
      << errors_;
  EXPECT_THAT(output_, HasSubstr("bit-exact"));
}

TEST_F(Quantize, PrecisionsExcludeEachOther) {
  const auto error_of = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"run", path("float.systole"), "--device", "model"});
    EXPECT_EQ(systole(options), kBadInput) << output_;
    return errors_;
  };
  EXPECT_THAT(error_of({"--precision", "int8"}), HasSubstr("add --calibrate FILE"));
  EXPECT_THAT(error_of({"--precision", "mx", "--calibrate", path("x.npy")}), HasSubstr("which needs no samples"));
  EXPECT_THAT(error_of({"--precision", "bf16"}), HasSubstr("bf16"));
  ASSERT_EQ(systole({"compile", path("float.systole"), "-o", path("compiled.systole")}), kOk) << errors_;
  EXPECT_EQ(systole({"run", path("compiled.systole"), "--precision", "mx", "--device", "model"}), kBadInput);
  EXPECT_THAT(errors_, HasSubstr("is compiled already"));
  EXPECT_EQ(systole({"compile", path("float.systole"), "--precision", "int8", "-o", path("y.systole")}), kBadInput);
  EXPECT_THAT(errors_, HasSubstr("systole quantize"));
}

TEST_F(Quantize, ConvertsFloatSamples) {
  ASSERT_EQ(systole({"quantize", path("float.systole"), "--calibrate", path("x.npy"), "--int8-border", "-o",
                     path("int8.systole")}),
            kOk)
      << errors_;
  ASSERT_EQ(
      systole({"run", path("int8.systole"), "--device", "model", "--input", path("x.npy"), "--output", path("y.npy")}),
      kOk)
      << errors_;
  EXPECT_THAT(output_, HasSubstr("quantize   1 input of float32"));
  // As the network does that takes float inputs itself.
  ASSERT_EQ(systole({"quantize", path("float.systole"), "--calibrate", path("x.npy"), "-o", path("real.systole")}), kOk)
      << errors_;
  ASSERT_EQ(
      systole({"run", path("real.systole"), "--device", "model", "--input", path("x.npy"), "--output", path("z.npy")}),
      kOk)
      << errors_;
  const graph::Value steps = npy::read(path("y.npy")), real = npy::read(path("z.npy"));
  const graph::Tensor output = [&] {
    const graph::Bytes file = read("int8.systole");
    const graph::Graph graph = container::Container(file).graph();
    return graph.tensor(graph.outputs[0]);
  }();
  for (std::size_t i = 0; i < steps.data.size(); ++i) {
    const int step = static_cast<std::int8_t>(steps.data[i]) - output.quantization->zero_point[0];
    EXPECT_FLOAT_EQ(graph::elements<float>(real)[i], static_cast<float>(step) * output.quantization->scale[0]) << i;
  }
}

TEST_F(Quantize, AcceptsFilePerInput) {
  quantizer::test::FloatNetwork net(2);
  const graph::TensorId a = net.input({1, 8}), b = net.input({1, 6});
  const graph::TensorId left = net.dense(a, 5), right = net.dense(b, 5);
  graph::Graph graph = net.finish({net.add(graph::Binary{graph::BinaryKind::kAdd}, {left, right})});
  graph.tensor(a).name = "a";
  graph.tensor(b).name = "b";
  write("two.systole", container::save(graph));
  write_samples("a.npy", {40, 8});
  write_samples("b.npy", {40, 6});
  npy::write(path("labels.npy"), graph::make_value(graph::ElementType::kInt32, {40}, std::vector<std::int32_t>(40, 1)));
  ASSERT_EQ(systole({"quantize", path("two.systole"), "--calibrate", "b=" + path("b.npy"), "--calibrate",
                     "a=" + path("a.npy"), "--test", path("a.npy"), "--test", path("b.npy"), "--labels",
                     path("labels.npy"), "-o", path("int8.systole")}),
            kOk)
      << errors_;
  EXPECT_THAT(output_, HasSubstr("quantized by 40 samples"));
  EXPECT_THAT(output_, HasSubstr("accuracy"));
  ASSERT_EQ(systole({"run", path("two.systole"), "--device", "model", "--calibrate", path("a.npy"), "--calibrate",
                     path("b.npy"), "--input", path("a.npy"), "--input", path("b.npy")}),
            kOk)
      << errors_;
  EXPECT_THAT(output_, HasSubstr("to int8 by 40 samples of " + path("a.npy") + ", " + path("b.npy")));
  EXPECT_EQ(systole({"quantize", path("two.systole"), "--calibrate", "b=" + path("b.npy")}), kBadInput);
  EXPECT_THAT(errors_, HasSubstr("--calibrate: no samples of input 'a'"));
  EXPECT_EQ(systole({"quantize", path("two.systole"), "--calibrate", path("a.npy"), "--calibrate", path("b.npy"),
                     "--test", path("a.npy"), "--labels", path("labels.npy")}),
            kBadInput);
  EXPECT_THAT(errors_, HasSubstr("--test: no samples of input 'b'"));
}

TEST_F(Quantize, FinalSoftmaxStaysFloatByDefault) {
  quantizer::test::FloatNetwork net(3);
  const graph::TensorId scores = net.dense(net.flatten(net.input({1, 6, 6, 2})), 5);
  write("softmax.systole", container::save(net.finish({net.add(graph::Softmax{}, {scores})})));
  const auto is_int8 = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"quantize", path("softmax.systole"), "--calibrate", path("x.npy"), "--json", "-"});
    EXPECT_EQ(systole(std::move(options)), kOk) << errors_;
    return nlohmann::json::parse(output_).at("layers").at(2).at("int8").get<bool>();
  };
  EXPECT_FALSE(is_int8({}));
  EXPECT_TRUE(is_int8({"--int8-softmax"}));
  EXPECT_TRUE(is_int8({"--int8-border"}));
}

TEST_F(Quantize, RejectsInvalidArguments) {
  const auto error_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"quantize", path("float.systole")});
    EXPECT_EQ(systole(std::move(arguments)), kBadInput);
    return errors_;
  };
  EXPECT_THAT(error_of({"--calibrate", path("none.npy")}), HasSubstr("--calibrate: "));
  EXPECT_THAT(error_of({"--calibrate", path("x.npy"), "--labels", path("y.npy")}),
              HasSubstr("--labels and --test go together"));
  EXPECT_THAT(error_of({"--calibrate", path("x.npy"), "--percentile", "20", "--calibration", "percentile"}),
              HasSubstr("20"));
  EXPECT_THAT(error_of({"--calibrate", path("x.npy"), "--calibration", "median"}), HasSubstr("median"));
  write_samples("wide.npy", {40, 6, 7, 2});
  EXPECT_THAT(error_of({"--calibrate", path("wide.npy")}), HasSubstr("wide.npy"));
  npy::write(path("y.npy"), graph::make_value(graph::ElementType::kInt32, {3}, std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_THAT(error_of({"--calibrate", path("x.npy"), "--test", path("x.npy"), "--labels", path("y.npy")}),
              HasSubstr("3 labels for 40 samples"));
  EXPECT_THAT(error_of({"--calibrate", path("x.npy"), "-o", path("none/int8.systole")}),
              HasSubstr("--output: cannot write"));
}

}  // namespace
}  // namespace systole::cli
