// SPDX-License-Identifier: Apache-2.0
// Learning rates by step, computed on the host and given to the graph as a scalar.
#pragma once

#include <cstdint>

namespace systole::training {

enum class ScheduleKind { kConstant, kStep, kCosine };

struct Schedule {
  ScheduleKind kind = ScheduleKind::kConstant;
  double rate = 0.01;        ///< after the warm-up
  std::int64_t warm_up = 0;  ///< steps in which the rate grows linearly to `rate`
  std::int64_t steps = 1;    ///< kCosine: the step, counted from 0, at which the rate is 0
  std::int64_t every = 1;    ///< kStep: after so many steps ...
  double factor = 0.1;       ///< ... the rate is multiplied by this
};

/// The rate of a step, counted from 0.
double rate_of(const Schedule& schedule, std::int64_t step);

}  // namespace systole::training
