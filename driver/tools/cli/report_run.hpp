// SPDX-License-Identifier: Apache-2.0
// Common end of a command: reports one finished run.
#pragma once

#include "memory_plans.hpp"
#include "options.hpp"
#include "run.hpp"

namespace systole::cli {

/// Prints the report, writes JSON if requested, and sets the session's exit code; prints a difference on standard error
/// with the command that shows it in a waveform.
void finish(const Run& run, MemoryPlans& plans, const DeviceOptions& options, Session& session);

}  // namespace systole::cli
