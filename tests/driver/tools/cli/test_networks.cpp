// SPDX-License-Identifier: Apache-2.0
// `systole compile`, `systole run` and `systole disasm` on small networks.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../../compiler/frontends/model_builder.hpp"
#include "exit_codes.hpp"
#include "network_builder.hpp"
#include "npy.hpp"
#include "program_fixture.hpp"
#include "run_file.hpp"
#include "systole/backends.hpp"
#include "systole/container.hpp"
#include "systole/execute.hpp"
#include "systole/zoo.hpp"

namespace systole::cli {
namespace {

using graph::Value;

class Networks : public ProgramTest {
 protected:
  static constexpr int kClasses = 9000;  // more than a softmax on the device has

  Networks() : ProgramTest("systole_networks") { write("small.systole", container::save(small())); }

  /// Two convolutions and a dense layer for the device, a softmax for the host.
  static graph::Graph small() {
    zoo::NetworkBuilder net("small", 1);
    graph::TensorId x = net.conv(net.input({1, 6, 6, 3}), 8, 3, 1, zoo::Border::kSame, Activation::kRelu);
    x = net.conv(x, 8, 1, 1, zoo::Border::kSame, Activation::kNone);
    return net.finish(net.softmax(net.dense(net.flatten(x), kClasses, Activation::kNone)));
  }

  /// Writes samples, and the host's results for them.
  void write_samples(std::int64_t count) const {
    const graph::Graph graph = small();
    Value inputs{graph::ElementType::kInt8, {count, 6, 6, 3}, {}},
        outputs{graph::ElementType::kInt8, {count, kClasses}, {}};
    for (std::int64_t i = 0; i < count; ++i) {
      Value one{graph::ElementType::kInt8, {1, 6, 6, 3}, graph::Bytes(108)};
      for (std::size_t k = 0; k < one.data.size(); ++k) {
        one.data[k] = static_cast<std::uint8_t>(static_cast<std::size_t>(i) * 77 + k * k);
      }
      const Value result = graph::execute(graph, {one}).at(0);
      inputs.data.insert(inputs.data.end(), one.data.begin(), one.data.end());
      outputs.data.insert(outputs.data.end(), result.data.begin(), result.data.end());
    }
    npy::write(path("x.npy"), inputs);
    npy::write(path("y.npy"), outputs);
  }
};

TEST_F(Networks, CompileRunAndList) {
  write_samples(3);
  ASSERT_EQ(systole({"compile", path("small.systole"), "-o", path("tiny.systole"), "--config", "tiny"}), kOk)
      << errors_;
  expect_part("small.systole: 5 operators, ");
  expect_part("1 program of ");
  expect_part("1 operator on the host, for tiny");
  // The configuration is that of the file.
  ASSERT_EQ(systole({"run", path("tiny.systole"), "--device", "model", "--input", path("x.npy"), "--expect",
                     path("y.npy"), "--output", path("z.npy"), "--check"}),
            kOk)
      << errors_;
  expect_part("run        3 samples on model, ");
  expect_part("small  on model, 4 x 4, tiny configuration, 1 device segment");
  expect_part("operators    4 on model, 1 on the host");
  expect_part("result       bit-exact, 27,000 values against " + path("y.npy"));
  expect_part("SOFTMAX");
  EXPECT_EQ(read("y.npy"), read("z.npy"));

  ASSERT_EQ(systole({"disasm", path("tiny.systole")}), kOk) << errors_;
  expect_part("program 1, ");
  expect_part("instructions for tiny\n  ");
  expect_part("CONV ");
  expect_part("host: ");
}

TEST_F(Networks, RecompileForOtherConfiguration) {
  ASSERT_EQ(systole({"compile", path("small.systole"), "-o", path("tiny.systole"), "--config", "tiny"}), kOk);
  EXPECT_EQ(systole({"run", path("tiny.systole"), "--device", "model", "--config", "small"}), kBadInput);
  expect_part("compiled for configuration tiny, not small");
  ASSERT_EQ(systole({"compile", path("tiny.systole"), "-o", path("small2.systole"), "--config", "small"}), kOk)
      << errors_;
  EXPECT_EQ(systole({"run", path("small2.systole"), "--device", "model"}), kOk) << errors_;
  ASSERT_EQ(systole({"compile", path("tiny.systole"), "-o", path("graph.systole"), "--graph-only"}), kOk) << errors_;
  EXPECT_EQ(read("graph.systole"), read("small.systole"));
}

TEST_F(Networks, SeveralSamplesAtATime) {
  write_samples(5);
  const auto run = [&](const std::string& model, std::vector<std::string> more) {
    std::vector<std::string> words = {"run",     path(model),   "--device", "model",
                                      "--input", path("x.npy"), "--output", path("z.npy")};
    words.insert(words.end(), more.begin(), more.end());
    return systole(words);
  };
  // The last run has one sample of its own, and a copy of it.
  ASSERT_EQ(run("small.systole", {"--batch", "2", "--expect", path("y.npy"), "--config", "tiny"}), kOk) << errors_;
  expect_part("run        5 samples on model, 2 at a time, ");
  expect_part("result       bit-exact, 45,000 values against " + path("y.npy"));
  EXPECT_EQ(read("y.npy"), read("z.npy"));
  ASSERT_EQ(run("small.systole", {"--batch", "3", "--config", "tiny"}), kOk) << errors_;
  expect_part("bit-exact, 27,000 values against the host's, of the first 3 samples");

  ASSERT_EQ(systole({"compile", path("small.systole"), "--batch", "4", "-o", path("four.systole"), "--config", "tiny"}),
            kOk)
      << errors_;
  expect_part("batch      4 samples at a time");
  ASSERT_EQ(run("four.systole", {}), kOk) << errors_;  // the number is that of the file
  expect_part("5 samples on model, 4 at a time, ");
  EXPECT_EQ(read("y.npy"), read("z.npy"));
  ASSERT_EQ(
      systole({"run", path("four.systole"), "--device", "host", "--input", path("x.npy"), "--expect", path("y.npy")}),
      kOk)
      << errors_;
  EXPECT_EQ(run("four.systole", {"--batch", "2"}), kBadInput);
  expect_part("computes 4 samples at a time; compile the network again");
}

TEST_F(Networks, RefusesABatchOfWhatMixesSamples) {
  zoo::NetworkBuilder net("mixes", 1);
  graph::Graph graph = net.finish(net.softmax(net.input({1, 4})));
  std::get<graph::Softmax>(graph.operators[0].kind).axis = 0;
  write("mixes.systole", container::save(graph));
  EXPECT_EQ(systole({"run", path("mixes.systole"), "--device", "model", "--batch", "2"}), kBadInput);
  expect_part("--batch 2: ");
  expect_part("cannot be computed for 2 samples at once: it works along the first axis");
}

TEST_F(Networks, FromTensorFlowLite) {
  write("model.tflite", graph::test::small_model());
  ASSERT_EQ(systole({"run", path("model.tflite"), "--device", "model", "--config", "tiny", "--count", "2"}), kOk)
      << errors_;
  expect_part("2 samples on model");
  expect_part("bit-exact, 36 values against the host's, of the first sample");
}

TEST_F(Networks, ReportDifferences) {
  write_samples(2);
  constexpr std::size_t kWrong = kClasses + 3;  // of the second sample
  Value wrong = npy::read(path("y.npy"));
  const int expected = static_cast<std::int8_t>(wrong.data[kWrong] ^ 1),
            actual = static_cast<std::int8_t>(wrong.data[kWrong]);
  wrong.data[kWrong] ^= 1;
  npy::write(path("wrong.npy"), wrong);
  for (const char* device : {"model", "host"}) {
    EXPECT_EQ(systole({"run", path("small.systole"), "--device", device, "--config", "tiny", "--input", path("x.npy"),
                       "--expect", path("wrong.npy")}),
              kMismatch);
    expect_part("DIFFERENT");
    expect_part("sample 1, output '");
    expect_part(fmt::format("index 0,3: expected {}, actual {} (1 of 9,000 differ)", expected, actual));
    expect_part("run it again with waves");
  }
  // The differing sample is not run.
  EXPECT_EQ(systole({"run", path("small.systole"), "--device", "model", "--config", "tiny", "--input", path("x.npy"),
                     "--expect", path("wrong.npy"), "--count", "1"}),
            kOk);
}

TEST_F(Networks, OnTheHost) {
  write_samples(2);
  ASSERT_EQ(systole({"run", path("small.systole"), "--device", "host", "--input", path("x.npy"), "--expect",
                     path("y.npy"), "--json", "-"}),
            kOk);
  const auto json = nlohmann::json::parse(output_);
  EXPECT_EQ(json["device"], "host");
  EXPECT_EQ(json["samples"], 2);
  EXPECT_EQ(json["bit_exact"], true);
}

/// A result is called exact only if it was compared with an independent one.
TEST_F(Networks, ReportComparison) {
  write_samples(1);
  const auto run = [&](std::vector<std::string> options) {
    std::vector<std::string> arguments = {"run", path("small.systole"), "--config", "tiny", "--json", path("run.json")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(systole(arguments), kOk) << errors_;
    return nlohmann::json::parse(std::ifstream(path("run.json")));
  };
  auto json = run({"--device", "model", "--no-compare"});
  expect_part("result       not compared: --no-compare");
  EXPECT_EQ(output_.find("bit-exact"), std::string::npos) << output_;
  EXPECT_TRUE(json["bit_exact"].is_null());
  EXPECT_EQ(json["compared"]["values"], 0);

  json = run({"--device", "host"});
  expect_part("operators  5 on the host");
  expect_part("not compared: every operator ran on the host");
  EXPECT_EQ(output_.find("bit-exact"), std::string::npos) << output_;
  EXPECT_TRUE(json["bit_exact"].is_null());

  json = run({"--device", "host", "--input", path("x.npy"), "--expect", path("y.npy")});
  expect_part("bit-exact, 9,000 values against " + path("y.npy"));
  EXPECT_EQ(json["bit_exact"], true);

  json = run({"--device", "model"});
  expect_part("operators    4 on model, 1 on the host");
  expect_part("bit-exact, 9,000 values against the host's, of the first sample");
  EXPECT_EQ(json["operators"]["device"], 4);

  // A network whose operators all run on the host, although there is a device.
  zoo::NetworkBuilder net("hosted", 1);
  write("hosted.systole", container::save(net.finish(net.softmax(net.input({1, kClasses})))));
  ASSERT_EQ(systole({"run", path("hosted.systole"), "--device", "model", "--config", "tiny"}), kOk) << errors_;
  expect_part("operators    0 on model, 1 on the host");
  expect_part("not compared: every operator ran on the host");
  EXPECT_EQ(output_.find("bit-exact"), std::string::npos) << output_;
}

TEST_F(Networks, AcceptSamplesOfOtherShape) {
  write_samples(2);
  Value flat = npy::read(path("x.npy"));
  flat.shape = {2, 108};
  npy::write(path("flat.npy"), flat);
  EXPECT_EQ(systole({"run", path("small.systole"), "--device", "model", "--config", "tiny", "--input", path("flat.npy"),
                     "--expect", path("y.npy")}),
            kOk)
      << errors_;
  expect_part("flat.npy is 2x108: reshaped to 2 samples of 1x6x6x3");
  expect_part("bit-exact, 18,000 values");
}

TEST_F(Networks, ConvertNumpyTypesWithoutLoss) {
  std::vector<std::int64_t> integers(216);
  std::vector<double> reals(216);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    integers[i] = static_cast<std::int64_t>(i % 256) - 128;
    reals[i] = static_cast<double>(i) / 64;
  }
  npy::write(path("integers.npy"), graph::make_value(graph::ElementType::kInt64, {2, 6, 6, 3}, integers));
  npy::write(path("reals.npy"), graph::make_value(graph::ElementType::kFloat64, {2, 6, 6, 3}, reals));
  EXPECT_EQ(systole({"run", path("small.systole"), "--device", "host", "--input", path("integers.npy")}), kOk)
      << errors_;
  expect_part("note: " + path("integers.npy") +
              " is int64 and was converted to int8, which can represent all of its values");
  EXPECT_EQ(systole({"run", path("small.systole"), "--device", "host", "--input", path("reals.npy")}), kOk) << errors_;
  expect_part("reals.npy is float64 and was converted to float32");
  reals[3] = 0.1;
  npy::write(path("reals.npy"), graph::make_value(graph::ElementType::kFloat64, {2, 6, 6, 3}, reals));
  EXPECT_EQ(systole({"run", path("small.systole"), "--device", "host", "--input", path("reals.npy")}), kBadInput);
  expect_part(
      "is float64, and float32 is wanted, which does not hold the value 0.1 of element 3; save "
      "array.astype('float32')");
}

TEST_F(Networks, WrongArguments) {
  write_samples(2);
  npy::write(path("wide.npy"), Value{graph::ElementType::kInt8, {2, 6, 6, 4}, graph::Bytes(288)});
  std::vector<std::int64_t> integers(216);
  integers[7] = 128;
  npy::write(path("integers.npy"), graph::make_value(graph::ElementType::kInt64, {2, 6, 6, 3}, integers));
  npy::write(path("types.npy"), Value{graph::ElementType::kUint8, {2, 6, 6, 3}, graph::Bytes(216)});
  npy::write(path("one.npy"), Value{graph::ElementType::kInt8, {1, kClasses}, graph::Bytes(kClasses)});
  const auto whole = read("small.systole");
  write("damaged.systole", graph::Bytes(whole.begin(), whole.begin() + 100));
  const std::string model = path("small.systole");
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    if (arguments[0] == "run") {
      arguments.insert(arguments.end(), {"--device", "model", "--config", "tiny"});
    }
    EXPECT_EQ(systole(arguments), kBadInput) << part;
    expect_part(part);
  };
  refused({"run", path("nowhere.tflite")}, "nowhere.tflite: No such file");
  refused({"run", path("damaged.systole")}, "damaged.systole: truncated or damaged");
  refused({"run", model, "--input", path("wide.npy")}, "is 2x6x6x4 int8; ");
  refused({"run", model, "--input", path("types.npy")}, "takes samples x 1x6x6x3 int8");
  refused({"run", model, "--input", path("integers.npy")},
          "integers.npy: is int64, and int8 is wanted, which does not hold the value 128 of element 7");
  refused({"run", model, "--input", path("x.npy"), "--input", path("x.npy")}, "--input: 2 files for 1 tensors");
  refused({"run", model, "--input", path("none.npy")}, "none.npy");
  refused({"run", model, "--input", path("x.npy"), "--expect", path("one.npy")}, "--expect: 1 samples for 2 that run");
  refused({"run", model, "--input", path("x.npy"), "--output", path("nowhere/y.npy")}, "nowhere");
  refused({"run", model, "--trace-layer", "x", "--trace", path("t.fst")}, "--trace");
  refused({"compile", model, "-o", path("nowhere/y.systole")}, "cannot write");
  refused({"compile", model}, "--output");
  refused({"disasm", model}, "contains a graph without programs");
  refused({"disasm", path("damaged.systole")}, "truncated or damaged");
}

TEST_F(Networks, OnTheCoreWithAReport) {
  const std::vector<std::string> options = {"--device",       "rtl",        "--config",     "tiny", "--json",
                                            path("run.json"), "--lockstep", "--memory-plan"};
  write_samples(2);
  std::vector<std::string> arguments = {"run",      path("small.systole"), "--input", path("x.npy"),
                                        "--expect", path("y.npy")};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const int code = has_backend("rtl") ? systole(arguments) : kBadInput;
  if (code == kBadInput && (errors_.empty() || errors_.find("tiny") != std::string::npos)) {
    GTEST_SKIP() << "this build has no core of configuration tiny";
  }
  ASSERT_EQ(code, kOk) << errors_;
  expect_part("simulation");
  const report::RunFile found = report::read_run(path("run.json"));
  ASSERT_FALSE(found.layers.empty());
  const auto json = nlohmann::json::parse(std::ifstream(path("run.json")));
  const report::Layer total = report::total(found);
  EXPECT_EQ(total.cycles, json["cycles"].get<std::uint64_t>());
  EXPECT_EQ(total.macs, json["macs"].get<std::uint64_t>());
  EXPECT_GT(total.read_beats.value_or(0), 0u);
  EXPECT_GT(total.write_beats.value_or(0), 0u);
  EXPECT_EQ(found.name, "small.systole");
  EXPECT_EQ(found.bit_exact, true);
  EXPECT_EQ(found.values, 2u * kClasses);
  ASSERT_TRUE(found.layers[0].window.has_value());
  const auto& [first, last] = *found.layers[0].window;
  EXPECT_LT(first, last);
  EXPECT_LE(last - first, total.cycles);                // of the first sample of two
  EXPECT_FALSE(found.layers[0].bit_exact.has_value());  // only the network's outputs were compared
  EXPECT_FALSE(json["layers"][0].contains("bit_exact"));
  ASSERT_EQ(found.plans.size(), 1u);
  EXPECT_FALSE(found.plans[0].plan.occupied.empty());
  EXPECT_EQ(systole({"report", path("run.json")}), kOk) << errors_;
}

}  // namespace
}  // namespace systole::cli
