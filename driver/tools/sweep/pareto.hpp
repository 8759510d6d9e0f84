// SPDX-License-Identifier: Apache-2.0
// Pareto front of a set of designs.
#pragma once

#include <cstddef>
#include <vector>

namespace systole::cli {

/// For each design, whether it is on the Pareto front. A design is a list of costs, the same number for all, lower
/// being better; it is off the front if another one is nowhere worse and somewhere better. Equal designs are both on or
/// both off it.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& designs);

}  // namespace systole::cli
