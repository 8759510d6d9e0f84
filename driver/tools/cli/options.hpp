// SPDX-License-Identifier: Apache-2.0
// Options shared by all commands that open a device.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ranks.hpp"
#include "systole/compiled_network.hpp"
#include "systole/device.hpp"
#include "trace_options.hpp"

namespace systole::cli {

/// The command line and the exit code of this invocation, and the processes that were started together.
struct Session {
  std::vector<std::string> arguments;  ///< argv
  int exit_code = 0;
  std::shared_ptr<ranks::Ranks> ranks = ranks::alone();
};

struct DeviceOptions {
  std::string config = "default";
  std::string device;  ///< "rtl" if the build has it
  unsigned latency = MemoryTiming{}.read_latency;
  unsigned read_interval = 1, write_interval = 1;
  unsigned stall = 0;
  std::string order = "in-order";
  std::uint64_t seed = 1;
  TraceOptions trace;
  std::string timeline;
  std::string json;
  bool memory_plan = false;
  bool check = false;
  bool lockstep = false;
  CompileOptions compile;  ///< for commands that compile networks themselves

  DeviceOptions();
  /// JSON goes to standard output, so text must not.
  bool quiet() const { return json == "-"; }
  /// Of the device, and what commands that open one compile for.
  MemoryTiming memory() const { return {latency, latency, read_interval, write_interval}; }
  /// `compile`, for the device's memory.
  CompileOptions compiled() const { return {compile.without, memory()}; }
  /// Settings for Device::run; the hang timeout grows with the memory latency.
  RunOptions run_options() const;
};

/// Adds only --config to a command.
void add_configuration_option(CLI::App& command, DeviceOptions& options);
/// Adds all of them. `devices` are the values of --device.
void add_device_options(CLI::App& command, DeviceOptions& options,
                        const std::vector<std::string>& devices = {"rtl", "model"});

/// The configuration selected by the options.
const Configuration& configuration_of(const DeviceOptions& options);

/// Opens the device with the requested observers. Creates the folders of waveform and timeline. Throws InputError.
Device open_device(const DeviceOptions& options);

/// Writes the report to the file of --json, if given; bytes of texts that are not UTF-8 become U+FFFD. Throws
/// InputError when the file cannot be written.
void write_json(const DeviceOptions& options, const nlohmann::ordered_json& report);

}  // namespace systole::cli
