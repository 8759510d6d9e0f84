// SPDX-License-Identifier: Apache-2.0
// Learning rates by step, computed on the host and given to the graph as a scalar.
#pragma once

#include <cstdint>
#include <string>

#include "systole/training.hpp"

namespace systole::training {

/// "constant", "step", "cosine".
std::string name_of(ScheduleKind kind);

/// The rate of a step, counted from 0.
double rate_of(const Schedule& schedule, std::int64_t step);

}  // namespace systole::training
