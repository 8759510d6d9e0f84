// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "systole/graph_value.hpp"

namespace systole::npy {

/// The array with elements of another type, which hold its values exactly. Throws NpyError, beginning with `name`, for
/// the first value that the type does not hold, and says how to save the array in NumPy.
graph::Value as_type(const graph::Value& array, graph::ElementType type, const std::string& name);

}  // namespace systole::npy
