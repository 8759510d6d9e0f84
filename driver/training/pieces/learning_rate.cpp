// SPDX-License-Identifier: Apache-2.0
#include "learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole::training {

std::string name_of(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::kStep: return "step";
    case ScheduleKind::kCosine: return "cosine";
    default: return "constant";
  }
}

double rate_of(const Schedule& schedule, std::int64_t step) {
  if (step < schedule.warm_up) {
    return schedule.rate * static_cast<double>(step + 1) / static_cast<double>(schedule.warm_up);
  }
  switch (schedule.kind) {
    case ScheduleKind::kStep:
      return schedule.rate * std::pow(schedule.factor, static_cast<double>(step / schedule.every));
    case ScheduleKind::kCosine: {
      const auto all = static_cast<double>(std::max<std::int64_t>(1, schedule.steps - schedule.warm_up));
      const double done = std::min(1.0, static_cast<double>(step - schedule.warm_up) / all);
      return schedule.rate * 0.5 * (1 + std::cos(std::numbers::pi * done));
    }
    default: return schedule.rate;
  }
}

}  // namespace systole::training
