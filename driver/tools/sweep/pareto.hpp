// SPDX-License-Identifier: Apache-2.0
// Which of several designs no other one beats.
#pragma once

#include <cstddef>
#include <vector>

namespace systole::cli {

/// For each design, whether it is on the Pareto front. A design is a list of costs, the same number for all, less being
/// better; it is off the front when another one is nowhere worse and somewhere better. Equal designs stand together.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& designs);

}  // namespace systole::cli
