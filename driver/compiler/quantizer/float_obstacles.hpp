// SPDX-License-Identifier: Apache-2.0
// Why an operator that has an int8 form cannot have it with the values and scales at hand.
#pragma once

#include "scheme.hpp"

namespace systole::quantizer {

/// Operators with an operand or a result that was not finite, and is not masked. Throws GraphError for such an input of
/// the graph.
Obstacles not_finite(const graph::Graph& graph, const Observations& observations,
                     const std::map<graph::TensorId, Bounds>& bounds);

/// int8 operators of the scheme that TensorFlow Lite's arithmetic does not have for their scales.
Obstacles not_representable(const graph::Graph& graph, const Scheme& scheme);

}  // namespace systole::quantizer
