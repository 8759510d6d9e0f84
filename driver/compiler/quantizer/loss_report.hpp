// SPDX-License-Identifier: Apache-2.0
// Compares an int8 graph with the float graph that it was made from.
#pragma once

#include <vector>

#include "calibrate.hpp"
#include "emit_quantized.hpp"

namespace systole::quantizer {

/// Runs both graphs on each of the first `count` samples (of the float graph's inputs), several in parallel.
Report compare(const graph::Graph& graph, const Scheme& scheme, const Emitted& emitted,
               const std::vector<Sample>& samples, std::size_t count, const ProgressHook& progress);

}  // namespace systole::quantizer
