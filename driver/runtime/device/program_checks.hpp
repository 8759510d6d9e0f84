// SPDX-License-Identifier: Apache-2.0
// The static checks of a program: one always, the others as RunOptions::check asks for them.
#pragma once

#include <cstdint>

#include "systole/device.hpp"

namespace systole {

/// Throws ProgramRefused for a program that must deadlock.
void check_deadlock(const Program& program);

/// Runs the legality and the race checker on the program and an END, with window 0 over `memory_bytes` as the device
/// sets it up. Throws ProgramRefused.
void check_program(const Program& program, const Configuration& configuration, std::uint64_t memory_bytes);

}  // namespace systole
