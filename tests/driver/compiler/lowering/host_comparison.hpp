// SPDX-License-Identifier: Apache-2.0
// Runs a graph on the functional model of `tiny` and compares it with the host.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>

#include "systole/device.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole::test {

struct ComparedRun {
  bool on_device = false;  ///< of the first step
  graph::Bytes bytes;      ///< of the first result
};

/// With random bytes as the only input. A difference is a failure of the test.
inline ComparedRun compare_with_host(const graph::Graph& graph, std::mt19937_64& random) {
  BackendOptions options;
  options.configuration = "tiny";
  Device device = Device::open(options, "model");
  Network network(device, graph);
  const graph::Tensor& input = graph.tensor(graph.inputs[0]);
  graph::Value value{input.type, input.shape, graph::Bytes(static_cast<std::size_t>(graph::count(input.shape)))};
  for (std::uint8_t& byte : value.data) {
    byte = static_cast<std::uint8_t>(random());
  }
  const ComparedRun run{network.steps().at(0).on_device, network.run({value}).at(0).data};
  EXPECT_EQ(run.bytes, graph::execute(graph, {value}).at(0).data);
  return run;
}

}  // namespace systole::test
