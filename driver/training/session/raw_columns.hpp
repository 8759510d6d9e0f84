// SPDX-License-Identifier: Apache-2.0
// A network that was trained with standardized columns, as one that takes the columns as they are.
#pragma once

#include <vector>

#include "systole/graph.hpp"
#include "systole/training.hpp"

namespace systole::training {

/// `columns` are those of each input, none for an input that takes what it took. Where a dense layer alone reads the
/// input, its weights become W / deviation, its bias b - W (mean / deviation); else a subtraction and a product go in
/// front.
graph::Graph with_raw_columns(graph::Graph graph, const std::vector<std::vector<Column>>& columns);

}  // namespace systole::training
