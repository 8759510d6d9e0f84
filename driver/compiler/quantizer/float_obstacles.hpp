// SPDX-License-Identifier: Apache-2.0
// Why an operator with an int8 form has to stay float because of its values and scales.
#pragma once

#include "scheme.hpp"

namespace systole::quantizer {

/// Operators with an operand or result that is not finite and not masked. Throws GraphError for such an input of the
/// graph.
Obstacles not_finite(const graph::Graph& graph, const Observations& observations,
                     const std::map<graph::TensorId, Bounds>& bounds);

/// int8 operators of the scheme whose scales TensorFlow Lite's arithmetic does not support.
Obstacles not_representable(const graph::Graph& graph, const Scheme& scheme);

}  // namespace systole::quantizer
