// SPDX-License-Identifier: Apache-2.0
// Checks the statistics of a program's layers for consistency, after every run.
#pragma once

#include <cstdint>

#include "systole/network.hpp"

namespace systole::network {

/// `vectors` is the number of activation vectors of the program's MXU instructions. Throws LayerAccountingError unless
///   - the multiply-accumulates of the layers add up to those of the program,
///   - the cycles of the layers, by engine and cause, add up to the core's counters (WORKING alone on a core without
///   cause counters), and the matrix unit worked in `vectors` cycles,
///   - in each layer, the causes of every engine add up to the cycles of the layer,
///   - no layer has more multiply-accumulates than the core's multipliers can do in its cycles, or moved more bytes
///   than the bus can.
///
/// On the functional model, which has no cycles, only the first is checked.
void check_balance(const StepReport& step, std::uint64_t vectors, int dim);

}  // namespace systole::network
