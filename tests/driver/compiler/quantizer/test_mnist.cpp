// SPDX-License-Identifier: Apache-2.0
// A published float network, quantized with training pictures of MNIST, evaluated on the test pictures. Folders of
// SYSTOLE_SHARED: models/onnx/mnist-8/model.onnx and datasets/mnist.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cores.hpp"
#include "sample_files.hpp"
#include "systole/execute.hpp"
#include "systole/import_model.hpp"
#include "systole/network.hpp"
#include "systole/quantizer.hpp"

namespace systole::quantizer {
namespace {

/// Files of the network and the pictures, if available.
class Files {
 public:
  bool found() const { return exists(model_) && exists(data_); }
  std::string missing() const {
    return fmt::format("{} or {} is not there; -DSYSTOLE_SHARED=FOLDER names another place", model_.string(),
                       data_.string());
  }

  graph::Graph network() const { return graph::import_model(model_.string()); }
  std::vector<Sample> training(std::size_t count) const {
    return read_samples({file("train-images-idx3-ubyte.gz")}, network(), count);
  }
  std::vector<Sample> test() const { return read_samples({file("t10k-images-idx3-ubyte.gz")}, network(), 0); }
  std::vector<std::int64_t> labels() const { return read_labels(file("t10k-labels-idx1-ubyte.gz"), 0); }

 private:
  std::string file(const char* name) const { return (data_ / name).string(); }

  std::filesystem::path model_ = std::filesystem::path(SYSTOLE_SHARED) / "models/onnx/mnist-8/model.onnx";
  std::filesystem::path data_ = std::filesystem::path(SYSTOLE_SHARED) / "datasets/mnist";
};

constexpr std::size_t kCalibrationSamples = 512;
constexpr double kAccuracy = 0.985;

class Mnist : public testing::TestWithParam<Calibration> {};

TEST_P(Mnist, KeepsItsAccuracy) {
  const Files files;
  if (!files.found()) {
    GTEST_SKIP() << files.missing();
  }
  const graph::Graph network = files.network();
  Options options;
  options.calibration = GetParam();
  options.border = Border::kInt8;
  const Result result = quantize(network, files.training(kCalibrationSamples), options);
  const std::vector<Sample> pictures = files.test();
  ASSERT_EQ(pictures.size(), 10'000U);
  const double right = accuracy(network, result.graph, pictures, files.labels());
  fmt::print("accuracy {:.2f} %\n", 100 * right);
  EXPECT_GE(right, kAccuracy);
  for (const LayerReport& layer : result.report.layers) {
    EXPECT_TRUE(layer.int8) << layer.name;
  }
}

class MnistOnDevice : public testing::TestWithParam<const char*> {};

/// Every test picture on the functional model, and the first hundred on the core, whose outputs must equal the model's.
TEST_P(MnistOnDevice, KeepsItsAccuracy) {
  const Files files;
  if (!files.found()) {
    GTEST_SKIP() << files.missing();
  }
  constexpr std::size_t kOnCore = 100;
  const Result result = quantize(files.network(), files.training(kCalibrationSamples));
  BackendOptions options;
  options.configuration = GetParam();
  Device model = Device::open(options, "model"), core = Device::open(options, "rtl");
  Network on_model(model, result.graph), on_core(core, result.graph);
  const std::vector<Sample> pictures = files.test();
  const std::vector<std::int64_t> labels = files.labels();
  std::size_t right = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const graph::Value outputs = on_model.run(pictures[i]).at(0);
    if (i < kOnCore) {
      ASSERT_EQ(on_core.run(pictures[i]).at(0).data, outputs.data) << "picture " << i;
    }
    const std::vector<float> scores = graph::elements<float>(outputs);
    right += std::max_element(scores.begin(), scores.end()) - scores.begin() == labels[i] ? 1 : 0;
  }
  const double accuracy = static_cast<double>(right) / static_cast<double>(pictures.size());
  fmt::print("{}: accuracy {:.2f} % over {} pictures, {} of them on the core\n", GetParam(), 100 * accuracy,
             pictures.size(), kOnCore);
  EXPECT_EQ(pictures.size(), 10'000U);
  EXPECT_GE(accuracy, kAccuracy);
}

std::ptrdiff_t answer(const graph::Value& outputs) {
  const std::vector<float> scores = graph::elements<float>(outputs);
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

/// The float network as it is, cast to block floating point: nearly all answers are those of float.
TEST(MnistInBlocks, AnswersAsFloatDoes) {
  const Files files;
  if (!files.found()) {
    GTEST_SKIP() << files.missing();
  }
  constexpr std::size_t kLeast = 9'990;
  const graph::Graph network = files.network(), blocks = to_blocks(network);
  std::size_t same = 0;
  for (const Sample& picture : files.test()) {
    same += answer(graph::execute(network, picture).at(0)) == answer(graph::execute(blocks, picture).at(0)) ? 1 : 0;
  }
  fmt::print("{} of 10,000 answers are those of float32\n", same);
  EXPECT_GE(same, kLeast);
}

/// Every operator on the device, and every score that of the host.
TEST(MnistInBlocks, RunOnEveryDevice) {
  const Files files;
  if (!files.found()) {
    GTEST_SKIP() << files.missing();
  }
  constexpr std::size_t kPictures = 3;
  const graph::Graph blocks = to_blocks(files.network());
  const std::vector<Sample> pictures = files.training(kPictures);
  for (const char* configuration : {"tiny", "default"}) {
    for (const char* backend : {"model", "rtl"}) {
      if (backend == std::string("rtl") && !test::is_built(configuration)) {
        continue;
      }
      BackendOptions options;
      options.configuration = configuration;
      Device device = Device::open(options, backend);
      Network network(device, blocks);
      for (const StepReport& step : network.steps()) {
        EXPECT_TRUE(step.on_device) << configuration << ": " << step.name << " on the host: " << step.reason;
      }
      for (const Sample& picture : pictures) {
        EXPECT_EQ(network.run(picture).at(0).data, graph::execute(blocks, picture).at(0).data)
            << backend << ' ' << configuration;
      }
    }
  }
}

std::string name_of(const testing::TestParamInfo<Calibration>& instance) {
  switch (instance.param) {
    case Calibration::kMinMax: return "min_max";
    case Calibration::kPercentile: return "percentile";
    default: return "mean_square_error";
  }
}

INSTANTIATE_TEST_SUITE_P(Calibrations, Mnist,
                         testing::Values(Calibration::kMinMax, Calibration::kPercentile, Calibration::kMeanSquareError),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Devices, MnistOnDevice, testing::Values("tiny", "default"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace systole::quantizer
