// SPDX-License-Identifier: Apache-2.0
// Means and deviations of columns: which are far from those that a training is for, and columns that have them.
#pragma once

#include <string>
#include <vector>

#include "dataset.hpp"
#include "systole/training.hpp"

namespace systole::training {

/// The columns of rows [N, columns], or [N]. `names` has one for each.
std::vector<Column> columns_of(const graph::Value& rows, const std::vector<std::string>& names);

/// Lines about the columns whose deviation is below 1e-2 or above 1e2, or whose mean is more than 1e2 deviations from
/// 0, with this remedy. Columns of one value are left out: nothing can be learned from them.
std::vector<std::string> far_columns(const std::vector<Column>& columns, const std::string& remedy);

/// (x - mean) / deviation of each column, in float32; a column of one value becomes 0.
graph::Value standardized(const graph::Value& rows, const std::vector<Column>& columns);

/// Lines about classes, or labels of one output, that are among the validation's targets and not among the training's.
std::vector<std::string> unseen_classes(const Dataset& data, const Dataset& validation);

}  // namespace systole::training
