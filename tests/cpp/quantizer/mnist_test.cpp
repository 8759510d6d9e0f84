// SPDX-License-Identifier: Apache-2.0
// A published float network, quantized by training pictures of MNIST, on the test pictures. Folders of SYSTOLE_SHARED:
// models/onnx/mnist-8/model.onnx and datasets/mnist.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "quantizer/quantizer.hpp"
#include "quantizer/samples.hpp"
#include "systole/import_model.hpp"

namespace systole::quantizer {
namespace {

class Mnist : public testing::TestWithParam<Calibration> {};

TEST_P(Mnist, KeepsItsAccuracy) {
  const std::filesystem::path shared(SYSTOLE_SHARED);
  const std::filesystem::path model = shared / "models/onnx/mnist-8/model.onnx";
  const std::filesystem::path data = shared / "datasets/mnist";
  if (!exists(model) || !exists(data)) {
    GTEST_SKIP() << model << " or " << data << " is not there; -DSYSTOLE_SHARED=FOLDER names another place";
  }
  const graph::Graph network = graph::import_model(model.string());
  const auto file = [&](const char* name) { return (data / name).string(); };
  Options options;
  options.calibration = GetParam();
  options.border = Border::kInt8;
  const Result result = quantize(network, read_samples(file("train-images-idx3-ubyte.gz"), network, 512), options);
  fmt::print("{}", text(result.report, {}));
  const std::vector<Sample> pictures = read_samples(file("t10k-images-idx3-ubyte.gz"), network, 0);
  const std::vector<std::int64_t> labels = read_labels(file("t10k-labels-idx1-ubyte.gz"), 0);
  ASSERT_EQ(pictures.size(), 10'000U);
  const double right = accuracy(network, result.graph, pictures, labels);
  fmt::print("accuracy {:.2f} %\n", 100 * right);
  EXPECT_GE(right, 0.985);
  for (const LayerReport& layer : result.report.layers) {
    EXPECT_TRUE(layer.int8) << layer.name;
  }
}

std::string name_of(const testing::TestParamInfo<Calibration>& instance) {
  switch (instance.param) {
    case Calibration::kMinMax:
      return "min_max";
    case Calibration::kPercentile:
      return "percentile";
    default:
      return "mean_square_error";
  }
}

INSTANTIATE_TEST_SUITE_P(Calibrations, Mnist,
                         testing::Values(Calibration::kMinMax, Calibration::kPercentile, Calibration::kMeanSquareError), name_of);

}  // namespace
}  // namespace systole::quantizer
