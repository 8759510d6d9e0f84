// SPDX-License-Identifier: Apache-2.0
// A network from a file, whatever its format.
#pragma once

#include <string>

#include "systole/graph.hpp"

namespace systole::graph {

/// The network of a model file, valid, named as the file without folder and ending. The content says what it is, the ending
/// where that leaves it open. A batch that an ONNX file leaves open is 1. Throws GraphError, beginning with the path, for a path
/// that cannot be read, a format that is not known, and whatever the format's importer finds.
Graph import_model(const std::string& path);

}  // namespace systole::graph
