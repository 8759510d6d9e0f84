// SPDX-License-Identifier: Apache-2.0
// The vision transformer of scripts/vit (driver/models/vit), quantized: every operator runs on the device. With the
// pictures of the digits network, and with MNIST, folder datasets/mnist of SYSTOLE_SHARED.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cores.hpp"
#include "cosim.hpp"
#include "npy.hpp"
#include "sample_files.hpp"
#include "systole/execute.hpp"
#include "systole/import_model.hpp"
#include "systole/network.hpp"
#include "systole/quantizer.hpp"

namespace systole {
namespace {

using graph::Value;
using quantizer::Sample;

constexpr char kModels[] = SYSTOLE_SOURCE_DIR "/driver/models/";

std::string digits(const char* what) { return fmt::format("{}digits/data/pictures-{}-ubyte", kModels, what); }

graph::Graph float_network() { return graph::import_model(fmt::format("{}vit/vit.onnx", kModels)); }

std::vector<Sample> pictures(const graph::Graph& network) {
  return quantizer::read_samples({digits("images-idx3")}, network, 0);
}

std::ptrdiff_t answer(const Value& scores) {
  const std::vector<float> values = graph::elements<float>(scores);
  return std::max_element(values.begin(), values.end()) - values.begin();
}

Device device(const std::string& backend, const std::string& configuration) {
  BackendOptions options;
  options.configuration = configuration;
  return Device::open(test::traced(options), backend);
}

void expect_all_on_device(const Network& network) {
  for (const StepReport& step : network.steps()) {
    EXPECT_TRUE(step.on_device) << step.name << " on the host: " << step.reason;
  }
}

/// The scores that PyTorch computed, and the right digits.
TEST(VisionTransformer, ComputesWhatWasTrained) {
  const graph::Graph network = float_network();
  const std::vector<Sample> samples = pictures(network);
  const Value wanted = npy::read(fmt::format("{}vit/vit_scores.npy", kModels));
  const std::vector<float> scores = graph::elements<float>(wanted);
  const std::vector<std::int64_t> labels = quantizer::read_labels(digits("labels-idx1"), 0);
  ASSERT_EQ(wanted.shape, (graph::Shape{static_cast<std::int64_t>(samples.size()), 10}));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Value result = graph::execute(network, samples[i]).at(0);
    const std::vector<float> values = graph::elements<float>(result);
    for (std::size_t k = 0; k < values.size(); ++k) {
      EXPECT_NEAR(values[k], scores[10 * i + k], 1e-4) << "picture " << i << ", class " << k;
    }
    EXPECT_EQ(answer(result), labels[i]) << "picture " << i;
  }
}

struct Case {
  const char* backend;
  const char* configuration;
  std::size_t pictures;
};

class VisionTransformerOnDevice : public testing::TestWithParam<Case> {};

TEST_P(VisionTransformerOnDevice, EqualsTheHost) {
  const Case& c = GetParam();
  const graph::Graph float_graph = float_network();
  const std::vector<Sample> samples = pictures(float_graph);
  const quantizer::Result result = quantizer::quantize(float_graph, samples);
  for (const quantizer::LayerReport& layer : result.report.layers) {
    EXPECT_TRUE(layer.int8) << layer.name << ": " << layer.reason;
  }
  Device core = device(c.backend, c.configuration);
  Network network(core, result.graph);
  const std::vector<std::int64_t> labels = quantizer::read_labels(digits("labels-idx1"), 0);
  for (std::size_t i = 0; i < std::min(c.pictures, samples.size()); ++i) {
    const Value scores = network.run(samples[i]).at(0);
    EXPECT_EQ(scores.data, graph::execute(result.graph, samples[i]).at(0).data) << "picture " << i;
    EXPECT_EQ(answer(scores), labels[i]) << "picture " << i;
  }
  expect_all_on_device(network);
}

/// With no calibration: products in block floating point, all else binary32.
TEST_P(VisionTransformerOnDevice, EqualsTheHostInBlocks) {
  const Case& c = GetParam();
  const graph::Graph float_graph = float_network(), blocks = quantizer::to_blocks(float_graph);
  const std::vector<Sample> samples = pictures(float_graph);
  Device core = device(c.backend, c.configuration);
  Network network(core, blocks);
  const std::vector<std::int64_t> labels = quantizer::read_labels(digits("labels-idx1"), 0);
  for (std::size_t i = 0; i < std::min<std::size_t>(c.pictures, 2); ++i) {
    const Value scores = network.run(samples[i]).at(0);
    EXPECT_EQ(scores.data, graph::execute(blocks, samples[i]).at(0).data) << "picture " << i;
    EXPECT_EQ(answer(scores), labels[i]) << "picture " << i;
  }
  expect_all_on_device(network);
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* configuration : {"tiny", "default"}) {
    list.push_back({"model", configuration, 20});
    if (test::is_built(configuration)) {
      list.push_back({"rtl", configuration, 2});
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, VisionTransformerOnDevice, testing::ValuesIn(cases()), [](const auto& instance) {
  return fmt::format("{}_{}", instance.param.backend, instance.param.configuration);
});

/// Calibrated with training pictures: at most half a percent less than in float, of all test pictures. The first
/// also run on the core.
TEST(VisionTransformer, KeepsItsAccuracyOnMnist) {
  const std::filesystem::path folder = std::filesystem::path(SYSTOLE_SHARED) / "datasets/mnist";
  if (!exists(folder)) {
    GTEST_SKIP() << folder << " is not there; -DSYSTOLE_SHARED=FOLDER names another place";
  }
  const auto file = [&](const char* name) { return (folder / fmt::format("{}-ubyte.gz", name)).string(); };
  constexpr std::size_t kCalibrationSamples = 512, kOnCore = 10;
  constexpr double kLoss = 0.005, kFloatAccuracy = 0.97;
  const graph::Graph float_graph = float_network();
  const auto training = quantizer::read_samples({file("train-images-idx3")}, float_graph, kCalibrationSamples);
  const quantizer::Result result = quantizer::quantize(float_graph, training);
  const std::vector<Sample> samples = quantizer::read_samples({file("t10k-images-idx3")}, float_graph, 0);
  const std::vector<std::int64_t> labels = quantizer::read_labels(file("t10k-labels-idx1"), 0);
  ASSERT_EQ(samples.size(), 10'000U);
  ASSERT_EQ(labels.size(), samples.size());
  const bool with_core = test::is_built("default");
  Device model = device("model", "default"), core = device(with_core ? "rtl" : "model", "default");
  Network on_model(model, result.graph), on_core(core, result.graph);
  std::size_t right_in_float = 0, right = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Value scores = on_model.run(samples[i]).at(0);
    if (i < kOnCore) {
      ASSERT_EQ(on_core.run(samples[i]).at(0).data, scores.data) << "picture " << i;
    }
    right_in_float += answer(graph::execute(float_graph, samples[i]).at(0)) == labels[i] ? 1 : 0;
    right += answer(scores) == labels[i] ? 1 : 0;
  }
  expect_all_on_device(on_model);
  const double before = static_cast<double>(right_in_float) / static_cast<double>(samples.size());
  const double after = static_cast<double>(right) / static_cast<double>(samples.size());
  fmt::print("{:.2f} % in float, {:.2f} % on the functional model, {} pictures on the core\n", 100 * before,
             100 * after, with_core ? kOnCore : 0);
  EXPECT_GE(before, kFloatAccuracy);
  EXPECT_GE(after, before - kLoss);
}

}  // namespace
}  // namespace systole
