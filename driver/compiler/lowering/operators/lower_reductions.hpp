// SPDX-License-Identifier: Apache-2.0
// Sums, means and extremes over any axes, indices of extremes, and cumulative sums.
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Lowers a reduction. Axes that do not lie side by side are brought together by moves first. Throws Refused, or
/// InvalidArgument for a scale that no multiplier can represent.
std::vector<Layer> lower_reduction(const graph::Graph& graph, const graph::Operator& op, const graph::Reduce& reduce);

/// Lowers the index of an extreme along any axis. Throws Refused.
std::vector<Layer> lower_arg_extreme(const graph::Graph& graph, const graph::Operator& op,
                                     const graph::ArgExtreme& extreme);

/// Lowers TensorFlow Lite's cumulative sum along any axis. Throws Refused, or InvalidArgument as above.
Layer lower_cumulative_sum(const graph::Graph& graph, const graph::Operator& op, const graph::CumulativeSum& sum);

}  // namespace systole::network
