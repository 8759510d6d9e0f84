// SPDX-License-Identifier: Apache-2.0
// The cycles of a step on several devices, from those of its parts and the model of the link.
#pragma once

#include <cstddef>
#include <string>

#include "link.hpp"

namespace systole::training {

struct StepCost {
  std::size_t share = 1;                          ///< micro-batches of a device
  double gradient = 0, addition = 0, update = 0;  ///< cycles: of a micro-batch, of adding a contribution, of the update
  double bytes = 0;                               ///< of a contribution
  ranks::Link link;
  std::string topology = "chain";  ///< ranks::topology_named(), for any number of devices
};

/// Cycles from the moment when all devices have their contributions until all have the sum, additions included: by the
/// faster of an ordered sum along a chain, which is a part of each topology, and a scattered one.
double exchange_cycles(const StepCost& cost, int devices);

/// Cycles of a step: gradients one after another, the ordered sum, the update, which every device computes. The share
/// is the same for any number of devices, so that the batch grows with it.
double step_cycles(const StepCost& cost, int devices);

/// How many times the pictures per second of one device.
double speedup(const StepCost& cost, int devices);

}  // namespace systole::training
