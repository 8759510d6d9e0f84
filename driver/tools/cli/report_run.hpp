// SPDX-License-Identifier: Apache-2.0
// What the commands do with one finished run.
#pragma once

#include "memory_plans.hpp"
#include "options.hpp"
#include "run.hpp"

namespace systole::cli {

/// Prints the report, writes JSON if asked, and sets the session's exit code; a difference is told on standard error
/// with the command that shows it in a waveform.
void finish(const Run& run, MemoryPlans& plans, const DeviceOptions& options, Session& session);

}  // namespace systole::cli
