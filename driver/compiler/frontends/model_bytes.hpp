// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "systole/graph.hpp"

namespace systole::graph {

/// The whole file. Throws GraphError, beginning with the path, if it cannot be read.
Bytes read_model_bytes(const std::string& path);

}  // namespace systole::graph
