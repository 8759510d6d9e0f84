// SPDX-License-Identifier: Apache-2.0
// The RTL back end in lockstep with the functional model.
#pragma once

#include <memory>

#include "on_chip.hpp"
#include "systole/backend.hpp"

namespace systole::lockstep {

/// A back end that behaves as `rtl`, cycle by cycle, and throws LockstepDivergence at the first command whose effect
/// differs from the functional model's. `on_chip`: the memories of its core.
std::unique_ptr<Backend> beside(std::unique_ptr<Backend> rtl, const sim::OnChip& on_chip);

}  // namespace systole::lockstep
