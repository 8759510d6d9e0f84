// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "systole/graph_value.hpp"

namespace systole::npy {

/// The array with another element type, which must represent all values exactly. Throws NpyError, beginning with
/// `name`, for the first value that it cannot represent, and says how to save the array in NumPy.
graph::Value as_type(const graph::Value& array, graph::ElementType type, const std::string& name);

}  // namespace systole::npy
