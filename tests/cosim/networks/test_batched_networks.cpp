// SPDX-License-Identifier: Apache-2.0
// Published int8 networks that compute several samples at once: each sample's outputs are those that it has alone,
// which are recorded, on the functional model and on the RTL. No operator runs on the host.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cores.hpp"
#include "cosim.hpp"
#include "published_network.hpp"
#include "sample.hpp"
#include "systole/batch.hpp"
#include "systole/network.hpp"

namespace systole {
namespace {

using graph::Value;

struct Case {
  const char* name;
  const char* backend;
  const char* configuration;
  std::int64_t batch;
};

class BatchedNetworks : public testing::TestWithParam<Case> {};

TEST_P(BatchedNetworks, GiveEverySampleItsOutputs) {
  const Case& c = GetParam();
  const std::filesystem::path folder = test::PublishedNetwork::folder(c.name);
  if (!exists(folder / "model.tflite")) {
    GTEST_SKIP() << folder << " is not there; -DSYSTOLE_SHARED=FOLDER names another place";
  }
  BackendOptions options;
  options.configuration = c.configuration;
  Device device = Device::open(test::traced(options), c.backend);
  const test::PublishedNetwork published(folder);
  const graph::Graph& one = published.graph;
  Network network(device, graph::batched(one, c.batch));
  const Value& inputs = published.inputs;
  const std::vector<Value>& outputs = published.outputs;
  const std::int64_t runs = std::string(c.backend) == "rtl" ? 1 : std::min<std::int64_t>(3, inputs.shape[0] / c.batch);
  ASSERT_GT(runs, 0);
  for (std::int64_t run = 0; run < runs; ++run) {
    std::vector<std::vector<Value>> samples;
    for (std::int64_t i = 0; i < c.batch; ++i) {
      samples.push_back({test::sample(inputs, run * c.batch + i, one.tensor(one.inputs.at(0)))});
    }
    RunOptions run_options;
    run_options.check = run == 0;
    const auto results = graph::unstacked(network.run(graph::stacked(samples), run_options), c.batch);
    for (std::int64_t i = 0; i < c.batch; ++i) {
      const std::vector<Value>& result = results[static_cast<std::size_t>(i)];
      ASSERT_EQ(result.size(), outputs.size());
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        const Value expected = test::sample(outputs[k], run * c.batch + i, one.tensor(one.outputs[k]));
        ASSERT_EQ(result[k].shape, expected.shape);
        ASSERT_EQ(result[k].data, expected.data) << "run " << run << ", sample " << i << " of it, output " << k;
      }
    }
  }
  std::uint64_t cycles = 0;
  for (const StepReport& step : network.steps()) {
    cycles += step.stats.cycles;
    EXPECT_TRUE(step.on_device) << step.name << " on the host: " << step.reason;
  }
  fmt::print("{} on {} {}: {} runs of {} samples exact, {} cycles a sample\n", c.name, c.backend, c.configuration, runs,
             c.batch, cycles / static_cast<std::uint64_t>(c.batch));
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* name : test::kPublishedNetworks) {
    list.push_back({name, "model", "tiny", 3});
    list.push_back({name, "model", "default", 4});
  }
  for (const char* name : {"mlperf_tiny_ad", "tflm_mnist_lstm"}) {
    for (const std::int64_t batch : {4, 16}) {
      if (test::is_built("default")) {
        list.push_back({name, "rtl", "default", batch});
      }
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, BatchedNetworks, testing::ValuesIn(cases()), [](const auto& instance) {
  return fmt::format("{}_{}_{}_{}", instance.param.name, instance.param.backend, instance.param.configuration,
                     instance.param.batch);
});

}  // namespace
}  // namespace systole
