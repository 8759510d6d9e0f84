// SPDX-License-Identifier: Apache-2.0
// Local response normalization.
#pragma once

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// One kernel that reads the neighbouring channels. Throws Refused.
Layer lower_local_response(const graph::Graph& graph, const graph::Operator& op, const graph::LocalResponse& response);

}  // namespace systole::network
