// SPDX-License-Identifier: Apache-2.0
// Programs that can never end, found before they run.
#pragma once

#include <optional>

#include "systole/hang.hpp"
#include "systole/listing.hpp"

namespace systole {

/// Plays the program with tokens: four in-order queues of isa::kQueueDepth commands that are filled in program order,
/// semaphores that start at zero, END waiting for the queues. Answers how it gets stuck if no order of the engines
/// completes it, in time linear in the program.
///
/// While one engine only waits for each semaphore, what an engine can do another cannot prevent: every order gets
/// equally far, one is played, and the answer is exact. Of a program in which engines compete for a semaphore, and the
/// order played (the earliest command first) gets stuck, a second game is played in which a token serves every engine
/// that competes for it: whatever gets stuck there is refused, as it gets less far in truth. The rest may end on one
/// day and hang on another; it is not refused here but by check_program() (systole/legality.hpp).
///
/// Not refused is what ends with an error before it is stuck as far as this game can tell: an illegal instruction, a
/// semaphore left at END. A JUMP ends the game: what it runs is not known.
std::optional<HangReport> find_deadlock(const Listing& program);

}  // namespace systole
