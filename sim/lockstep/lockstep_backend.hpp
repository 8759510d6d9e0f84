// SPDX-License-Identifier: Apache-2.0
// The RTL back end with the functional model in lockstep beside it.
#pragma once

#include <memory>

#include "on_chip.hpp"
#include "systole/backend.hpp"

namespace systole::lockstep {

/// A back end that does what `rtl` does, in the same cycles, and throws LockstepDivergence at the first command whose
/// effect is not the functional model's. `on_chip`: the memories of its core.
std::unique_ptr<Backend> beside(std::unique_ptr<Backend> rtl, const sim::OnChip& on_chip);

}  // namespace systole::lockstep
