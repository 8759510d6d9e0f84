// SPDX-License-Identifier: Apache-2.0
#include "scaling.hpp"

#include <algorithm>

namespace systole::training {

double exchange_cycles(const StepCost& cost, int devices) {
  const ranks::Additions additions{static_cast<double>(cost.share), cost.addition};
  const double along = ranks::ordered_sum_cycles(cost.link, devices, cost.bytes,
                                                 ranks::best_pieces(cost.link, devices, cost.bytes), additions);
  const ranks::Topology topology = ranks::topology_named(cost.topology, devices);
  return std::min(along, ranks::scattered_sum_cycles(cost.link, topology, cost.bytes, additions));
}

double step_cycles(const StepCost& cost, int devices) {
  return static_cast<double>(cost.share) * cost.gradient + exchange_cycles(cost, devices) + cost.update;
}

double speedup(const StepCost& cost, int devices) {
  return devices * step_cycles(cost, 1) / step_cycles(cost, devices);
}

}  // namespace systole::training
