// SPDX-License-Identifier: Apache-2.0
// A float graph on samples, and what its tensors hold.
#pragma once

#include <map>
#include <vector>

#include "quantizer/statistics.hpp"
#include "systole/execute.hpp"

namespace systole::quantizer {

/// Inputs for one run, as Graph::inputs in number, order, type and shape.
using Sample = std::vector<graph::Value>;

/// Statistics of every tensor of float32 that is an input or computed. Throws GraphError for samples that do not fit, for a graph
/// that the host cannot run, and for a tensor that is not finite, with its name and the sample's number.
std::map<graph::TensorId, Statistics> calibrate(const graph::Graph& graph, const std::vector<Sample>& samples);

}  // namespace systole::quantizer
