// SPDX-License-Identifier: Apache-2.0
// What was lost, in words.
#pragma once

#include "analysis.hpp"

namespace systole::report {

/// Fills in headline, losses and because; `engine` and `utilization` are there already.
void explain(const Layer& layer, int dim, Analysis& analysis);

}  // namespace systole::report
