// SPDX-License-Identifier: Apache-2.0
// The options that say what goes into a waveform, and what the program says about one.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "systole/device.hpp"
#include "systole/trace.hpp"

namespace systole::cli {

struct Session;
struct DeviceOptions;

/// Adds --trace and all that narrows it.
void add_trace_options(CLI::App& command, TraceOptions& options);

/// Device::open(); what the back end finds wrong with the trace is an InputError in the words of the command line.
Device open_traced(const BackendOptions& options, std::string_view backend);

/// Throws InputError when --trace-layer is none of the runs that a command is about to make.
void check_layer(const TraceOptions& options, const std::vector<std::string>& runs);

/// After all runs: throws InputError when a waveform was asked for and no cycle went into it.
void check_recorded(const TraceOptions& options, Device& device);

/// How to look at what failed: the command that opens the waves of the last cycles, where --trace-on-error recorded
/// them; else the one that repeats the session on the RTL with them. `extra` is added to its end.
std::string waves_text(const Session& session, std::string_view name, std::string_view extra = {});

/// The command that repeats the session and opens the waves of some of its cycles.
std::string waves_text(const Session& session, std::string_view name, std::uint64_t from, std::uint64_t to);

}  // namespace systole::cli
