// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <fmt/core.h>

#include <memory>

#include "exit_codes.hpp"
#include "files.hpp"
#include "number_options.hpp"
#include "output_options.hpp"
#include "standard_output.hpp"
#include "systole/backends.hpp"
#include "systole/configurations.hpp"
#include "timeline.hpp"

namespace systole::cli {
namespace {

constexpr const char* kDeviceGroup = "Device";

std::vector<std::string> configuration_names() {
  std::vector<std::string> names;
  for (const Configuration& configuration : configurations()) {
    names.emplace_back(configuration.name);
  }
  return names;
}

}  // namespace

DeviceOptions::DeviceOptions() : device(has_backend("rtl") ? "rtl" : "model") {}

RunOptions DeviceOptions::run_options() const {
  RunOptions options;
  options.check = check || lockstep;  // races would look like divergences
  options.quiet_cycles += 4 * std::uint64_t{latency};
  return options;
}

void add_configuration_option(CLI::App& command, DeviceOptions& options) {
  command.add_option("--config", options.config, "size of the core")
      ->check(CLI::IsMember(configuration_names()))
      ->capture_default_str()
      ->group(kDeviceGroup);
}

void add_device_options(CLI::App& command, DeviceOptions& options, const std::vector<std::string>& devices) {
  const char* group = kDeviceGroup;
  add_configuration_option(command, options);
  const char* host =
      devices.size() > 2 ? "; host: no device at all, but its rules for float32: numbers below 2^-126 are 0" : "";
  command
      .add_option("--device", options.device,
                  fmt::format("rtl: the Verilated core, cycle by cycle; model: the functional model, no time{}", host))
      ->check(CLI::IsMember(devices))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--latency", options.latency,
                  "cycles of device memory to the first read beat and to the write response")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str()
      ->group(group);
  command.add_option("--read-interval", options.read_interval, "cycles of device memory per read beat: bandwidth")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->group(group);
  command.add_option("--write-interval", options.write_interval, "cycles of device memory per write beat")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->group(group);
  command.add_option("--stall", options.stall, "chance in percent of a random stall, per cycle and bus channel")
      ->check(CLI::Range(0, 95))
      ->capture_default_str()
      ->group(group);
  command.add_option("--order", options.order, "order in which memory answers reads of different identifiers")
      ->check(CLI::IsMember({"in-order", "random"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--seed", options.seed, "seed of random data, stalls and initial register contents")
      ->check(whole_in(0))
      ->capture_default_str()
      ->group(group);
  command.add_flag("--check", options.check, "check programs for possible deadlocks and races before they run")
      ->group(group);
  command
      .add_flag("--lockstep", options.lockstep,
                "run the functional model beside the RTL and stop at the first instruction whose effect differs; "
                "implies --check")
      ->group(group);
  add_trace_options(command, options.trace);
  is_output(command.add_option("--timeline", options.timeline,
                               "write a timeline of every engine (rtl only), for ui.perfetto.dev; *.gz is compressed"),
            OutputForm::kMadeFolder)
      ->group("Output");
  add_json_option(command, options.json, "the results")->group("Output");
  command
      .add_flag("--memory-plan", options.memory_plan,
                "record the contents of the core's memories over time into --json (rtl only), for systole report")
      ->group("Output");
}

const Configuration& configuration_of(const DeviceOptions& options) { return find_configuration(options.config); }

Device open_device(const DeviceOptions& options) {
  if (!options.trace.file.empty() && options.device != "rtl") {
    throw InputError("--trace: the functional model has no waveform; use --device rtl");
  }
  if (!options.timeline.empty() && options.device != "rtl") {
    throw InputError("--timeline: the functional model has no time to show; use --device rtl");
  }
  if (options.memory_plan && (options.json.empty() || options.device != "rtl")) {
    throw InputError(options.json.empty() ? "--memory-plan: is written to the JSON; give a file with --json"
                                          : "--memory-plan: the functional model has no time; use --device rtl");
  }
  files::make_folder_of(options.trace.file);
  files::make_folder_of(options.timeline);
  if (options.lockstep && options.device != "rtl") {
    throw InputError("--lockstep: compares the RTL with the functional model; use --device rtl");
  }
  BackendOptions backend;
  backend.lockstep = options.lockstep;
  backend.configuration = options.config;
  backend.memory = options.memory();
  backend.stall_percent = options.stall;
  backend.order = options.order == "random" ? ResponseOrder::kRandom : ResponseOrder::kInOrder;
  backend.seed = options.seed;
  backend.trace = options.trace;
  Device device = open_traced(backend, options.device);
  if (!options.timeline.empty()) {
    device.attach(std::make_shared<timeline::Timeline>(options.timeline, device.configuration()));
  }
  return device;
}

void write_json(const DeviceOptions& options, const nlohmann::ordered_json& report) {
  if (options.json.empty()) {
    return;
  }
  const std::string text = report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (options.json == "-") {
    print_text(text);
    return;
  }
  write_file("--json", options.json, text);
}

}  // namespace systole::cli
