// SPDX-License-Identifier: Apache-2.0
// Finds programs that deadlock, before they run.
#pragma once

#include <optional>

#include "systole/hang.hpp"
#include "systole/listing.hpp"

namespace systole {

/// Simulates the synchronization of a program: four in-order queues of isa::kQueueDepth commands, filled in program
/// order; semaphores that start at zero; END, which waits for the queues to drain. Returns a report if the program
/// deadlocks in every order of execution. Takes time linear in the length of the program.
///
/// If only one engine waits for each semaphore, no engine can prevent another one's progress: all orders get equally
/// far, so one is simulated and the result is exact. If engines compete for a semaphore and the simulated order (the
/// earliest command first) blocks, a second simulation lets one token serve every engine that competes for it. A
/// program that blocks even then always deadlocks. One that does not block then may deadlock in some orders only:
/// that is not reported here but by check_program() (systole/legality.hpp).
///
/// A program is not reported if it ends with an error first: an illegal instruction, or a semaphore that is not zero at
/// END. The simulation ends at a JUMP, because the target's commands are not known.
std::optional<HangReport> find_deadlock(const Listing& program);

}  // namespace systole
