// SPDX-License-Identifier: Apache-2.0
// A whole network on the sources that are synthesized computes what it computes on those that are simulated, in as many
// cycles.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "Vtpu_core_tiny_synthesized.h"
#include "Vtpu_core_tiny_synthesized___024root.h"
#include "rtl_backend.hpp"
#include "seed.hpp"
#include "systole/backends.hpp"
#include "systole/network.hpp"
#include "systole/zoo.hpp"
#include "verilated_core.hpp"

namespace systole {
namespace {

constexpr int kDim = 4;

/// The memories have another form than in the simulated core, and no test here looks into them.
struct Signals : sim::TpuCoreSignals {
  template <class Root>
  static sim::OnChip memories(const Root&) {
    return {};
  }
};

Device open(bool synthesized) {
  BackendOptions options;
  options.configuration = "tiny";
  return Device(sim::make_machine_backend(
      options,
      [synthesized](const Configuration& c, sim::Storage& storage,
                    const sim::CoreOptions& core) -> std::unique_ptr<sim::CoreModel> {
        if (!synthesized) return sim::make_core(c.name, storage, core);
        return std::make_unique<sim::VerilatedCore<Vtpu_core_tiny_synthesized, kDim, Signals>>(storage, core);
      }));
}

struct Seen {
  std::vector<graph::Bytes> outputs;
  std::vector<std::uint64_t> cycles;  ///< of each step
};

Seen run(const graph::Graph& graph, const graph::Bytes& image, bool synthesized) {
  Device device = open(synthesized);
  Network network(device, graph);
  const graph::Tensor& input = graph.tensor(graph.inputs.at(0));
  Seen seen;
  for (const auto& value : network.run({{input.type, input.shape, image}})) seen.outputs.push_back(value.data);
  for (const StepReport& step : network.steps()) seen.cycles.push_back(step.on_device ? step.stats.cycles : 0);
  return seen;
}

TEST(Synthesized, Resnet8IsWhatTheSimulatedCoreComputes) {
  const graph::Graph graph = zoo::network("resnet8", 1);
  std::mt19937_64 random(test::seed());
  graph::Bytes image(static_cast<std::size_t>(graph::count(graph.tensor(graph.inputs.at(0)).shape)));
  for (auto& byte : image) byte = static_cast<graph::Bytes::value_type>(random());
  const Seen chip = run(graph, image, true), core = run(graph, image, false);
  EXPECT_EQ(chip.outputs, core.outputs);
  EXPECT_EQ(chip.cycles, core.cycles);
  for (auto& byte : image) byte = static_cast<graph::Bytes::value_type>(~byte);
  EXPECT_NE(run(graph, image, false).outputs, core.outputs) << "the outputs do not depend on the image";
}

}  // namespace
}  // namespace systole
