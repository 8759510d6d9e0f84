// SPDX-License-Identifier: Apache-2.0
// Published int8 networks from files: every output of every sample equals that of TensorFlow Lite for Microcontrollers'
// reference kernels, on the functional model and on the RTL. No operator runs on the host.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cores.hpp"
#include "cosim.hpp"
#include "published_network.hpp"
#include "sample.hpp"
#include "systole/network.hpp"

namespace systole {
namespace {

using graph::Value;

struct Case {
  const char* name;
  const char* backend;
  const char* configuration;
  std::int64_t samples;  ///< at most
};

class Networks : public testing::TestWithParam<Case> {};

TEST_P(Networks, GiveTheKernelsOutputs) {
  const Case& c = GetParam();
  const std::filesystem::path folder = test::PublishedNetwork::folder(c.name);
  if (!exists(folder / "model.tflite")) {
    GTEST_SKIP() << folder << " is not there; -DSYSTOLE_SHARED=FOLDER names another place";
  }
  BackendOptions options;
  options.configuration = c.configuration;
  Device device = Device::open(test::traced(options), c.backend);
  const test::PublishedNetwork published(folder);
  Network network(device, published.graph);
  const Value& inputs = published.inputs;
  const std::vector<Value>& outputs = published.outputs;
  const std::int64_t samples = std::min(c.samples, inputs.shape[0]);
  const graph::Graph& graph = network.graph();
  for (std::int64_t i = 0; i < samples; ++i) {
    RunOptions run;
    run.check = i == 0;
    const std::vector<Value> result = network.run({test::sample(inputs, i, graph.tensor(graph.inputs.at(0)))}, run);
    ASSERT_EQ(result.size(), outputs.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      ASSERT_EQ(result[k].data, test::sample(outputs[k], i, graph.tensor(graph.outputs[k])).data)
          << "sample " << i << ", output " << k;
    }
  }
  std::uint64_t cycles = 0;
  int segments = 0;
  for (const StepReport& step : network.steps()) {
    cycles += step.stats.cycles;
    segments += step.on_device ? 1 : 0;
    EXPECT_TRUE(step.on_device || device.configuration().parts != kAllParts)
        << step.name << " on the host: " << step.reason;
  }
  fmt::print("{} on {} {}: {} samples exact, {} segments, {} cycles\n", c.name, c.backend, c.configuration, samples,
             segments, cycles);
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* name : test::kPublishedNetworks) {
    for (const char* configuration : {"tiny", "default"}) {
      list.push_back({name, "model", configuration, 1000});
      if (test::is_built(configuration)) {
        list.push_back({name, "rtl", configuration, configuration == std::string("tiny") ? 1 : 1000});
      }
    }
  }
  // A core that lacks parts: what needs them runs on the host.
  for (const char* name : {"mlperf_tiny_resnet8", "mlperf_tiny_vww"}) {
    for (const char* configuration : {"nano", "default_int8"}) {
      list.push_back({name, "model", configuration, 10});
      if (test::is_built(configuration)) {
        list.push_back({name, "rtl", configuration, 1});
      }
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, Networks, testing::ValuesIn(cases()), [](const auto& instance) {
  return fmt::format("{}_{}_{}", instance.param.name, instance.param.backend, instance.param.configuration);
});

}  // namespace
}  // namespace systole
