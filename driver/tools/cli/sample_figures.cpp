// SPDX-License-Identifier: Apache-2.0
#include "sample_figures.hpp"

#include <utility>

#include "packing.hpp"

namespace systole::cli {
namespace {

/// The numbers of a layer.
struct LayerFigures {
  std::uint64_t macs, cycles, read_bytes, write_bytes, first_cycle, last_cycle;
  std::int64_t predicted_cycles;
  CauseTable causes;
};

struct Time {
  std::uint64_t cycles;
  double seconds;
};

ranks::Bytes packed(const StepReport& step) {
  std::vector<ranks::Bytes> parts = {ranks::bytes_of(step.stats)};
  for (const LayerReport& layer : step.layers) {
    parts.push_back(
        ranks::bytes_of(LayerFigures{layer.macs, layer.cycles, layer.read_bytes, layer.write_bytes, layer.first_cycle,
                                     layer.last_cycle, layer.predicted_cycles, layer.causes}));
  }
  return ranks::pack(parts);
}

void unpack(const ranks::Bytes& bytes, StepReport& step) {
  const std::vector<ranks::Bytes> parts = ranks::unpack(bytes);
  step.stats = ranks::value_of<RunStats>(parts.at(0));
  for (std::size_t i = 0; i < step.layers.size(); ++i) {
    const auto figures = ranks::value_of<LayerFigures>(parts.at(i + 1));
    LayerReport& layer = step.layers[i];
    layer.macs = figures.macs;
    layer.cycles = figures.cycles;
    layer.read_bytes = figures.read_bytes;
    layer.write_bytes = figures.write_bytes;
    layer.first_cycle = figures.first_cycle;
    layer.last_cycle = figures.last_cycle;
    layer.predicted_cycles = figures.predicted_cycles;
    layer.causes = figures.causes;
  }
}

}  // namespace

ranks::Bytes packed(const SampleFigures& figures) {
  std::vector<ranks::Bytes> outputs, steps;
  for (const graph::Value& value : figures.outputs) {
    outputs.push_back(value.data);
  }
  for (const StepReport& step : figures.steps) {
    steps.push_back(packed(step));
  }
  return ranks::pack({ranks::pack(outputs), ranks::pack(steps),
                      ranks::bytes_of(Time{figures.simulated_cycles, figures.simulation_seconds})});
}

SampleFigures unpacked(const ranks::Bytes& bytes, const graph::Graph& graph, std::vector<StepReport> steps) {
  const std::vector<ranks::Bytes> parts = ranks::unpack(bytes);
  const auto time = ranks::value_of<Time>(parts.at(2));
  SampleFigures figures{{}, std::move(steps), time.cycles, time.seconds};
  const std::vector<ranks::Bytes> outputs = ranks::unpack(parts.at(0)), of_steps = ranks::unpack(parts.at(1));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const graph::Tensor& tensor = graph.tensor(graph.outputs.at(i));
    figures.outputs.push_back({tensor.type, tensor.shape, outputs[i]});
  }
  for (std::size_t i = 0; i < of_steps.size(); ++i) {
    unpack(of_steps[i], figures.steps.at(i));
  }
  return figures;
}

}  // namespace systole::cli
