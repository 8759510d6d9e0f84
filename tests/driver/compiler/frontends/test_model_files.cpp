// SPDX-License-Identifier: Apache-2.0
// Published int8 networks: every output of every sample equals that of TensorFlow Lite for Microcontrollers' reference
// kernels. Folder networks of SYSTOLE_SHARED: models/NAME/model.tflite, inputs.npy and outputs.npy, the first axis the
// sample; a second output is in outputs_1.npy.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "graph_listing.hpp"
#include "npy.hpp"
#include "systole/execute.hpp"
#include "systole/import_model.hpp"

namespace systole::graph {
namespace {

struct Network {
  const char* name;
  int samples;
  std::uint64_t macs;
};

class Networks : public testing::TestWithParam<Network> {};

/// Sample `i` of an array of samples, as a value of the tensor.
Value sample(const Value& all, std::int64_t i, const Tensor& tensor) {
  const std::size_t size = all.data.size() / static_cast<std::size_t>(all.shape[0]);
  const auto first = all.data.begin() + i * static_cast<std::ptrdiff_t>(size);
  return {tensor.type, tensor.shape, Bytes(first, first + static_cast<std::ptrdiff_t>(size))};
}

TEST_P(Networks, MatchKernelOutputs) {
  const std::filesystem::path folder = std::filesystem::path(SYSTOLE_SHARED) / "models" / GetParam().name;
  if (!exists(folder / "model.tflite")) {
    GTEST_SKIP() << folder << " is not there; -DSYSTOLE_SHARED=FOLDER names another place";
  }
  const Graph graph = import_model((folder / "model.tflite").string());
  EXPECT_EQ(total_macs(graph), GetParam().macs);
  const Value inputs = npy::read((folder / "inputs.npy").string());
  ASSERT_EQ(inputs.shape[0], GetParam().samples);
  std::vector<Value> outputs;
  for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
    outputs.push_back(npy::read((folder / (k == 0 ? "outputs.npy" : fmt::format("outputs_{}.npy", k))).string()));
    ASSERT_EQ(outputs.back().shape[0], GetParam().samples);
  }
  int exact = 0;
  for (std::int64_t i = 0; i < GetParam().samples; ++i) {
    const std::vector<Value> result = execute(graph, {sample(inputs, i, graph.tensor(graph.inputs.at(0)))});
    ASSERT_EQ(result.size(), outputs.size());
    bool same = true;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      same = same && result[k].data == sample(outputs[k], i, graph.tensor(graph.outputs[k])).data;
    }
    EXPECT_TRUE(same) << "sample " << i;
    exact += same ? 1 : 0;
  }
  fmt::print("{}: {} of {} samples exact\n", GetParam().name, exact, GetParam().samples);
}

INSTANTIATE_TEST_SUITE_P(
    All, Networks,
    testing::Values(Network{"mlperf_tiny_ad", 32, 264'192}, Network{"mlperf_tiny_kws", 100, 2'656'768},
                    Network{"mlperf_tiny_resnet8", 16, 12'501'632}, Network{"mlperf_tiny_vww", 8, 7'489'664},
                    Network{"tflm_hello_world", 256, 288}, Network{"tflm_micro_speech", 12, 336'000},
                    Network{"tflm_person_detect", 12, 7'157'888}, Network{"tflm_mnist_lstm", 1000, 113'120},
                    Network{"tflm_micro_speech_lstm", 16, 5'295'920}, Network{"made_transformer_encoder", 64, 295'232}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace systole::graph
