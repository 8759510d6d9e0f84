// SPDX-License-Identifier: Apache-2.0
// Describes losses in sentences.
#pragma once

#include "analysis.hpp"

namespace systole::report {

/// Fills in headline, losses and because; `engine` and `utilization` must be set.
void explain(const Layer& layer, int dim, Analysis& analysis);

}  // namespace systole::report
