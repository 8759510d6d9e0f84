// SPDX-License-Identifier: Apache-2.0
// The static checks of a program. The deadlock check always runs, the others run with RunOptions::check.
#pragma once

#include "systole/backend.hpp"
#include "systole/device.hpp"

namespace systole {

/// Throws ProgramRefused if the program would deadlock.
void check_deadlock(const Program& program);

/// Runs the legality and the race checker on the program with its END and its windows. Kernels are read from the
/// constants of the program and from `device`. Throws ProgramRefused.
void check_program(const Program& program, const Configuration& configuration, const Backend& device);

}  // namespace systole
