// SPDX-License-Identifier: Apache-2.0
// Shared by the operators on float32, int32 and int64.
#pragma once

#include "graph/execute_kinds.hpp"

namespace systole::graph {

/// The value within the activation's range.
double activated(double value, Activation activation);

}  // namespace systole::graph
