// SPDX-License-Identifier: Apache-2.0
// Networks that compute several samples at once. A program loads weights once for all of them, and the vector processor
// fills its strips with rows of different samples:
//
//   const graph::Graph four = graph::batched(network, 4);
//   inputs = graph::stacked({sample0, sample1, sample2, sample3});
//   results = graph::unstacked(outputs, 4);      // results[i] are those of sample i, bit for bit
#pragma once

#include <cstdint>
#include <vector>

#include "systole/graph.hpp"
#include "systole/graph_value.hpp"

namespace systole::graph {

/// The network for `samples` samples, which are the first axis of all that depends on the inputs: `samples` times as
/// long, sample after sample. Every sample's results are those that `graph` gives. Throws GraphError, naming the
/// operator and the reason, where a result depends on several positions of the first axis; and for less than 1 sample.
Graph batched(const Graph& graph, std::int64_t samples);

/// Inputs of the batched network from those of single samples; outputs of single samples from its outputs. The values
/// of the samples have equal shapes, of at least one axis.
std::vector<Value> stacked(const std::vector<std::vector<Value>>& samples);
std::vector<std::vector<Value>> unstacked(const std::vector<Value>& values, std::int64_t samples);

}  // namespace systole::graph
