// SPDX-License-Identifier: Apache-2.0
// The published keyword transformer KWT-1, quantized by its clips: only its audio features run on the host. Folder
// models/kwt1 of SYSTOLE_SHARED.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cores.hpp"
#include "cosim.hpp"
#include "sample_files.hpp"
#include "systole/execute.hpp"
#include "systole/import_model.hpp"
#include "systole/network.hpp"
#include "systole/quantizer.hpp"

namespace systole {
namespace {

struct Case {
  const char* backend;
  const char* configuration;
  std::size_t clips;
};

class KeywordTransformer : public testing::TestWithParam<Case> {};

TEST_P(KeywordTransformer, EqualsTheHost) {
  const Case& c = GetParam();
  const std::filesystem::path folder = std::filesystem::path(SYSTOLE_SHARED) / "models/kwt1";
  if (!exists(folder)) {
    GTEST_SKIP() << folder << " is not there; -DSYSTOLE_SHARED=FOLDER names another place";
  }
  const graph::Graph model = graph::import_model((folder / "model.tflite").string());
  const auto clips = quantizer::read_samples({(folder / "inputs.npy").string()}, model, 0);
  ASSERT_GE(clips.size(), c.clips);
  const quantizer::Result result = quantizer::quantize(model, clips);
  BackendOptions options;
  options.configuration = c.configuration;
  Device device = Device::open(test::traced(options), c.backend);
  Network network(device, result.graph);
  for (std::size_t i = 0; i < c.clips; ++i) {
    EXPECT_EQ(network.run(clips[i]).at(0).data, graph::execute(result.graph, clips[i]).at(0).data) << "clip " << i;
  }
  std::size_t on_host = 0;
  std::uint64_t cycles = 0;
  for (const StepReport& step : network.steps()) {
    EXPECT_TRUE(step.on_device || step.name.find("speech_features/") == 0) << step.name << ": " << step.reason;
    on_host += step.on_device ? 0 : 1;
    cycles += step.stats.cycles;
  }
  EXPECT_LE(on_host, 10U);
  fmt::print("{} clips exact, {} operators of {} on the host, {} cycles\n", c.clips, on_host,
             result.graph.operators.size(), cycles);
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* configuration : {"tiny", "default"}) {
    list.push_back({"model", configuration, 4});
    if (test::is_built(configuration)) {
      list.push_back({"rtl", configuration, 1});
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, KeywordTransformer, testing::ValuesIn(cases()), [](const auto& instance) {
  return fmt::format("{}_{}", instance.param.backend, instance.param.configuration);
});

}  // namespace
}  // namespace systole
