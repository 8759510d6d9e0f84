// SPDX-License-Identifier: Apache-2.0
// Whether the figures of a program's layers can be true: asked after every run.
#pragma once

#include <cstdint>

#include "systole/network.hpp"

namespace systole::network {

/// `vectors`: activation vectors that the program's instructions of the matrix unit take. Throws LayerAccountingError
/// unless
///   - the layers' multiply-accumulates add up to those of the program,
///   - their cycles, by engine and cause, to the core's counters, and the matrix unit worked in as many as there are
///   vectors,
///   - in each layer, every engine's causes to the layer's cycles,
///   - and no layer has more multiply-accumulates than the core's multipliers could do in its cycles, or more bytes
///   than the bus.
/// Of a run without cycles, on the functional model, the first is asked alone.
void check_balance(const StepReport& step, std::uint64_t vectors, int dim);

}  // namespace systole::network
