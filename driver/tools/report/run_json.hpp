// SPDX-License-Identifier: Apache-2.0
// What --json of a run says of the cycles, as run_file.hpp reads it.
#pragma once

#include <nlohmann/json.hpp>

#include "systole/device.hpp"

namespace systole::report {

/// Engine name to cause name to cycles, with all causes, or WORKING alone if no other was counted.
nlohmann::ordered_json causes_json(const CauseTable& causes, bool counted = true);

/// Engine name to semaphore number to the cycles waited for it; only semaphores that were waited for.
nlohmann::ordered_json semaphore_waits_json(const RunStats& stats);

}  // namespace systole::report
