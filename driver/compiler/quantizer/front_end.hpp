// SPDX-License-Identifier: Apache-2.0
// Features of signals, such as the logarithm of a spectrum, that a network computes before its layers.
#pragma once

#include "int8_eligibility.hpp"

namespace systole::quantizer {

/// A logarithm needs its operand with a relative precision, over many orders of magnitude, which a scale does not have.
/// So it stays float, and all that computes its operand, if that takes fewer multiply-accumulates than what follows.
Obstacles front_end(const graph::Graph& graph);

}  // namespace systole::quantizer
