// SPDX-License-Identifier: Apache-2.0
// How far an int8 graph is from the float graph that it was made from.
#pragma once

#include <vector>

#include "calibrate.hpp"
#include "emit_quantized.hpp"

namespace systole::quantizer {

/// Runs both graphs on each of the first `count` samples, which are the float graph's, several at the same time.
Report compare(const graph::Graph& graph, const Scheme& scheme, const Emitted& emitted,
               const std::vector<Sample>& samples, std::size_t count, const ProgressHook& progress);

}  // namespace systole::quantizer
