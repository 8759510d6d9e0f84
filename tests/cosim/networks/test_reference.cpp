// SPDX-License-Identifier: Apache-2.0
// The project's own networks and models of operators (tests/vectors/networks, made by scripts/reference) against the
// results of TensorFlow Lite's reference kernels and ONNX Runtime, on the host, on the functional model and on the
// core, bit for bit; real numbers of the operators of ONNX within a tolerance.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "cores.hpp"
#include "npy.hpp"
#include "sample.hpp"
#include "systole/execute.hpp"
#include "systole/graph_state.hpp"
#include "systole/import_model.hpp"
#include "systole/network.hpp"
#include "value_difference.hpp"

namespace systole {
namespace {

using graph::Value;

constexpr char kFolder[] = SYSTOLE_SOURCE_DIR "/tests/vectors/networks";

struct Case {
  const char* name;
  const char* form;     ///< "tflite" or "onnx"
  std::string backend;  ///< or "host"
  bool exact = true;
};

/// The first element that differs, or nothing.
std::string difference_from(const Value& expected, const Value& actual, bool exact) {
  if (exact) {
    return expected.data == actual.data ? "" : "different bits";
  }
  return test::difference(actual, expected, {1e-6, graph::element_size(actual.type) == 2 ? 1e-3 : 1e-5});
}

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
  for (std::size_t i = 0; i < graph::sample_inputs(graph).size(); ++i) {
    inputs.push_back(npy::read((folder / fmt::format("{}_input{}.npy", c.form, i)).string()));
  }
  const Value outputs = npy::read((folder / fmt::format("{}_outputs.npy", c.form)).string());
  const std::size_t bytes = outputs.data.size() / static_cast<std::size_t>(outputs.shape[0]);
  graph::GraphState state(graph);
  const auto results_of = [&](const std::vector<Value>& operands) {
    return network ? network->run(operands) : state.without_states(graph::execute(graph, state.with_states(operands)));
  };
  // The second time shows that nothing is left of the first, where a network keeps variables from sample to sample.
  for (std::int64_t run = 0; run < 2 * outputs.shape[0]; ++run) {
    const std::int64_t i = run % outputs.shape[0];
    if (i == 0 && run > 0) {
      if (graph.states.empty()) {
        break;
      }
      network ? network->reset_state() : state.reset();
    }
    std::vector<Value> operands;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      operands.push_back(test::sample(inputs[k], i, graph.tensor(graph.inputs[k])));
    std::size_t at = static_cast<std::size_t>(i) * bytes;
    for (const Value& actual : results_of(operands)) {
      const auto first = outputs.data.begin() + static_cast<std::ptrdiff_t>(at);
      ASSERT_LE(at + actual.data.size(), static_cast<std::size_t>(i + 1) * bytes);
      at += actual.data.size();
      const Value expected{actual.type, actual.shape,
                           graph::Bytes(first, first + static_cast<std::ptrdiff_t>(actual.data.size()))};
      EXPECT_EQ(difference_from(expected, actual, c.exact), "")
          << "sample " << i << ", output at byte " << at - actual.data.size();
    }
    EXPECT_EQ(at, static_cast<std::size_t>(i + 1) * bytes);
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
                                   {"moves", "tflite"},
                                   {"streaming", "tflite"}}) {
    for (const char* backend : {"host", "model", "rtl"}) {
      if (backend != std::string("rtl") || test::is_built("tiny")) list.push_back({name, form, backend});
    }
  }
  for (const char* name : {"onnx_casts", "onnx_shifts", "onnx_special_numbers", "onnx_special_rows",
                           "onnx_short_sequences", "onnx_averages", "onnx_fused", "onnx_attentions"}) {
    for (const char* backend : {"host", "model", "rtl"}) {
      if (backend != std::string("rtl") || test::is_built("tiny")) list.push_back({name, "onnx", backend, false});
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, Reference, testing::ValuesIn(cases()), [](const auto& instance) {
  return fmt::format("{}_{}_{}", instance.param.name, instance.param.form, instance.param.backend);
});

}  // namespace
}  // namespace systole
