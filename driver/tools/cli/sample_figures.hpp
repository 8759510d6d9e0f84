// SPDX-License-Identifier: Apache-2.0
// A sample's results and figures as bytes, from the rank that ran it to all.
#pragma once

#include <vector>

#include "ranks.hpp"
#include "run.hpp"
#include "systole/graph_value.hpp"
#include "systole/network.hpp"

namespace systole::cli {

struct SampleFigures {
  std::vector<graph::Value> outputs;
  std::vector<StepReport> steps;  ///< empty on the host
  std::uint64_t simulated_cycles = 0;
  double simulation_seconds = 0;
};

ranks::Bytes packed(const SampleFigures& figures);

/// `outputs` and `steps` have the types, shapes and texts that the bytes do not: those of the graph and of a network
/// of the same graph.
SampleFigures unpacked(const ranks::Bytes& bytes, const graph::Graph& graph, std::vector<StepReport> steps);

}  // namespace systole::cli
