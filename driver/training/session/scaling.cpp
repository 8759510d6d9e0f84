// SPDX-License-Identifier: Apache-2.0
#include "scaling.hpp"

namespace systole::training {

double exchange_cycles(const StepCost& cost, int devices) {
  return ranks::ordered_sum_cycles(cost.link, devices, cost.bytes, ranks::best_pieces(cost.link, devices, cost.bytes),
                                   {static_cast<double>(cost.share), cost.addition});
}

double step_cycles(const StepCost& cost, int devices) {
  return static_cast<double>(cost.share) * cost.gradient + exchange_cycles(cost, devices) + cost.update;
}

double speedup(const StepCost& cost, int devices) {
  return devices * step_cycles(cost, 1) / step_cycles(cost, devices);
}

}  // namespace systole::training
