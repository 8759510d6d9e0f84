// SPDX-License-Identifier: Apache-2.0
// Options that select what a waveform records, and messages about waveforms.
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

/// Adds --trace and the options that restrict it.
void add_trace_options(CLI::App& command, TraceOptions& options);

/// Device::open(); errors in trace options become InputErrors with the command line's option names.
Device open_traced(const BackendOptions& options, std::string_view backend);

/// Throws InputError if --trace-layer names none of the runs that the command will make.
void check_layer(const TraceOptions& options, const std::vector<std::string>& runs);

/// After all runs: completes waveform and timeline. Throws OutputError if one cannot be written, InputError if a
/// waveform was requested but no cycle was recorded.
void finish_recordings(const DeviceOptions& options, Device& device);

/// How to look at a failure: the command that opens the waves of the last cycles, if --trace-on-error recorded them;
/// otherwise the command that repeats the session on the RTL with waves. `extra` is appended to it.
std::string waves_text(const Session& session, std::string_view name, std::string_view extra = {});

/// The command that repeats the session and opens the waves of the given cycles.
std::string waves_text(const Session& session, std::string_view name, std::uint64_t from, std::uint64_t to);

}  // namespace systole::cli
