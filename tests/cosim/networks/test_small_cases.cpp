// SPDX-License-Identifier: Apache-2.0
// Small float networks, each about one operator, quantized: every operator runs on the device, and the results equal
// the host's. Files of SYSTOLE_SHARED: cases/onnx/NAME.onnx, and images for all of them in img.npy.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cores.hpp"
#include "cosim.hpp"
#include "npy.hpp"
#include "sample.hpp"
#include "systole/import_model.hpp"
#include "systole/network.hpp"
#include "systole/quantizer.hpp"

namespace systole {
namespace {

using graph::Value;

struct Case {
  const char* name;
  const char* backend;
};

class SmallCases : public testing::TestWithParam<Case> {};

std::vector<quantizer::Sample> samples_of(const Value& all, const graph::Tensor& tensor) {
  std::vector<quantizer::Sample> samples;
  for (std::int64_t i = 0; i < all.shape[0]; ++i) {
    samples.push_back({test::sample(all, i, tensor)});
  }
  return samples;
}

/// Operators that convert between the network's float tensors and int8.
bool is_border(const graph::Graph& graph, const std::string& name) {
  for (const graph::Operator& op : graph.operators) {
    if (op.name == name) {
      return std::holds_alternative<graph::Convert>(op.kind);
    }
  }
  return false;
}

TEST_P(SmallCases, RunOnTheDevice) {
  const std::filesystem::path folder = std::filesystem::path(SYSTOLE_SHARED) / "cases" / "onnx";
  const std::string file = (folder / (std::string(GetParam().name) + ".onnx")).string();
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << file << " is not there; -DSYSTOLE_SHARED=FOLDER names another place";
  }
  const graph::Graph model = graph::import_model(file);
  const std::vector<quantizer::Sample> samples =
      samples_of(npy::read((folder / "img.npy").string()), model.tensor(model.inputs.at(0)));
  const graph::Graph graph = quantizer::quantize(model, samples).graph;
  BackendOptions options;
  options.configuration = "tiny";
  Device device = Device::open(test::traced(options), GetParam().backend);
  Network network(device, graph);
  std::size_t on_device = 0;
  for (const StepReport& step : network.steps()) {
    on_device += step.on_device ? 1 : 0;
    EXPECT_TRUE(step.on_device || is_border(network.graph(), step.name))
        << step.name << " on the host: " << step.reason;
  }
  EXPECT_EQ(on_device, 1U);
  RunOptions run;
  run.check = true;
  EXPECT_EQ(network.run(samples.at(0), run).at(0).data, graph::execute(graph, samples.at(0)).at(0).data);
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* name :
       {"rm_relu_keep0", "rm_relu_keep0_fc", "rm_keep1", "rm_neg", "gap_flat", "op_meanhw", "op_chmul", "op_bn_first",
        "op_bn_after_pool", "op_relu_bn", "op_prelu", "op_sub", "op_clip", "op_se"}) {
    list.push_back({name, "model"});
    if (test::is_built("tiny")) {
      list.push_back({name, "rtl"});
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, SmallCases, testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name) + "_" + info.param.backend; });

}  // namespace
}  // namespace systole
