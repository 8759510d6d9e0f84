// SPDX-License-Identifier: Apache-2.0
// The project's own networks (tests/vectors/networks, made by scripts/reference) against the results of TensorFlow
// Lite's reference kernels and ONNX Runtime, bit for bit: on the host, on the functional model, and on the core.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "cores.hpp"
#include "npy.hpp"
#include "sample.hpp"
#include "systole/execute.hpp"
#include "systole/import_model.hpp"
#include "systole/network.hpp"

namespace systole {
namespace {

using graph::Value;

constexpr char kFolder[] = SYSTOLE_SOURCE_DIR "/tests/vectors/networks";

struct Case {
  const char* name;
  const char* form;     ///< "tflite" or "onnx"
  std::string backend;  ///< or "host"
};

class Reference : public testing::TestWithParam<Case> {};

TEST_P(Reference, ComputesWhatTheOthersDo) {
  const Case& c = GetParam();
  const std::filesystem::path folder = std::filesystem::path(kFolder) / c.name;
  const graph::Graph graph = graph::import_model((folder / fmt::format("model.{}", c.form)).string());
  std::unique_ptr<Device> device;
  std::unique_ptr<Network> network;
  if (c.backend != "host") {
    BackendOptions options;
    options.configuration = "tiny";
    device = std::make_unique<Device>(Device::open(options, c.backend));
    network = std::make_unique<Network>(*device, graph);
  }
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    inputs.push_back(npy::read((folder / fmt::format("{}_input{}.npy", c.form, i)).string()));
  }
  const Value outputs = npy::read((folder / fmt::format("{}_outputs.npy", c.form)).string());
  const std::size_t bytes = outputs.data.size() / static_cast<std::size_t>(outputs.shape[0]);
  for (std::int64_t i = 0; i < outputs.shape[0]; ++i) {
    std::vector<Value> operands;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      operands.push_back(test::sample(inputs[k], i, graph.tensor(graph.inputs[k])));
    graph::Bytes actual;
    for (const Value& value : network ? network->run(operands) : graph::execute(graph, operands)) {
      actual.insert(actual.end(), value.data.begin(), value.data.end());
    }
    const auto first = outputs.data.begin() + i * static_cast<std::ptrdiff_t>(bytes);
    EXPECT_EQ(actual, graph::Bytes(first, first + static_cast<std::ptrdiff_t>(bytes))) << "sample " << i;
  }
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const auto& [name, form] : {std::pair{"residual", "tflite"},
                                   {"residual", "onnx"},
                                   {"dense", "tflite"},
                                   {"dense", "onnx"},
                                   {"scales", "tflite"},
                                   {"tables", "tflite"},
                                   {"moves", "tflite"}}) {
    for (const char* backend : {"host", "model", "rtl"}) {
      if (backend != std::string("rtl") || test::is_built("tiny")) list.push_back({name, form, backend});
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, Reference, testing::ValuesIn(cases()), [](const auto& instance) {
  return fmt::format("{}_{}_{}", instance.param.name, instance.param.form, instance.param.backend);
});

}  // namespace
}  // namespace systole
