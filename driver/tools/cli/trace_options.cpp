// SPDX-License-Identifier: Apache-2.0
#include "trace_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "exit_codes.hpp"
#include "number_options.hpp"
#include "options.hpp"
#include "output_error.hpp"
#include "output_options.hpp"

namespace systole::cli {
namespace {

constexpr const char* kBackendName = "trace.";  // prefix of the back end's option names

std::string quoted(const std::string& argument) {
  const bool plain = !argument.empty() && argument.find_first_not_of(
                                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_-+=./:,@%") == std::string::npos;
  if (plain) {
    return argument;
  }
  std::string text = "'";
  for (const char c : argument) {
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return text + "'";
}

/// An option of the session and its value, if given.
struct OptionValue {
  bool there = false;
  std::string value;
};

OptionValue find_option(const Session& session, const std::string& option) {
  for (std::size_t i = 0; i < session.arguments.size(); ++i) {
    const std::string& argument = session.arguments[i];
    if (argument == option) {
      return {true, i + 1 < session.arguments.size() ? session.arguments[i + 1] : std::string()};
    }
    if (argument.rfind(option + "=", 0) == 0) {
      return {true, argument.substr(option.size() + 1)};
    }
  }
  return {};
}

/// The session's command line without the options for recording and device.
std::string without_output(const Session& session) {
  std::string command;
  for (std::size_t i = 0; i < session.arguments.size(); ++i) {
    const std::string& argument = session.arguments[i];
    const std::string option = argument.substr(0, argument.find('='));
    if (option == "--device" || option == "--json" || option.rfind("--trace", 0) == 0) {
      const bool has_value = i + 1 < session.arguments.size() && session.arguments[i + 1].rfind("--", 0) != 0;
      i += option == argument && has_value ? 1 : 0;
      continue;
    }
    command += quoted(argument) + " ";
  }
  return command;
}

bool is_kernel(const Session& session) { return session.arguments.size() > 1 && session.arguments[1] == "kernel"; }

/// The command that opens a waveform in the view for what the session ran.
std::string gtkwave(const Session& session, const std::string& file) {
  const bool kernel = is_kernel(session);
  return fmt::format("gtkwave {} waves/views/{}.gtkw{}", quoted(file), kernel ? "vector" : "system",
                     kernel ? "\nword_number_o in it is the number of a word in what --list prints" : "");
}

/// Replaces the back end's option names by those of the command line.
std::string with_option_names(std::string text) {
  for (const char* option : {"from", "to", "layer", "scope", "file"}) {
    const std::string name = std::string(kBackendName) + option;
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) {
      text.replace(at, name.size(), std::string(option) == "file" ? "--trace" : std::string("--trace-") + option);
    }
  }
  return text;
}

}  // namespace

void add_trace_options(CLI::App& command, TraceOptions& options) {
  const char* group = "Waveform";
  auto* file = is_output(command.add_option("--trace", options.file,
                                            "write a waveform (FST; rtl only); scripts/waves --open FILE shows it"),
                         OutputForm::kMadeFolder)
                   ->group(group);
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return command.add_option(name, value, help)->type_name(type)->needs(file)->group(group);
  };
  auto* from =
      add("--trace-from", options.from, "CYCLE", "first cycle that is recorded; cycle 0 is the first of the reset")
          ->check(whole_in(0));
  auto* to = add("--trace-to", options.to, "CYCLE", "last cycle that is recorded")->check(whole_in(0));
  auto* layer = add("--trace-layer", options.layer, "NAME",
                    "record the first run of this name (a layer of the network, a workload), "
                    "from its doorbell to its interrupt");
  add("--trace-scope", options.scope, "PATH", "record this instance with all that it contains, such as tpu_core.u_mxu");
  add("--trace-on-error", options.on_error, "CYCLES",
      "record only if something fails: at least this many cycles before it")
      ->expected(0, 1)
      ->default_str(std::to_string(TraceOptions::kUsualOnError))
      ->check(CLI::Range(1, 100'000'000))
      ->excludes(from)
      ->excludes(to)
      ->excludes(layer);
}

Device open_traced(const BackendOptions& options, std::string_view backend) {
  try {
    return Device::open(options, backend);
  } catch (const std::invalid_argument& error) {
    throw InputError(with_option_names(error.what()));
  }
}

void check_layer(const TraceOptions& options, const std::vector<std::string>& runs) {
  if (options.layer.empty() || std::find(runs.begin(), runs.end(), options.layer) != runs.end()) {
    return;
  }
  std::string names;
  for (const std::string& run : runs) {
    names += (names.empty() ? "" : ", ") + run;
  }
  throw InputError(fmt::format("--trace-layer: no run '{}'; available: {}", options.layer, names));
}

void finish_recordings(const DeviceOptions& options, Device& device) {
  const TraceOptions& trace = options.trace;
  bool recorded = false;
  try {
    recorded = device.finish_recordings();
  } catch (const FileError& error) {
    throw OutputError(error.what());
  }
  if (recorded || trace.file.empty() || trace.on_error > 0) {
    return;
  }
  throw InputError(fmt::format("--trace: no cycle was recorded: cycles 0 to {} were simulated{}",
                               device.backend().simulated_cycles() - 1,
                               trace.layer.empty() ? "" : ", and no run of --trace-layer began from --trace-from on"));
}

std::string waves_text(const Session& session, std::string_view name, std::string_view extra) {
  const OptionValue recorded = find_option(session, "--trace");
  if (find_option(session, "--trace-on-error").there && std::filesystem::exists(recorded.value)) {
    return fmt::format("waves of the last cycles:\n  {}", gtkwave(session, recorded.value));
  }
  // What fails on the functional model may pass on the RTL: then everything is recorded.
  const bool fails_on_rtl = find_option(session, "--device").value != "model";
  const std::string file = fmt::format("waves/out/{}.fst", name);
  return fmt::format("run it again with waves:\n  {}{}{}--device rtl --trace {}{} ; {}", without_output(session), extra,
                     extra.empty() ? "" : " ", file, fails_on_rtl ? " --trace-on-error" : "", gtkwave(session, file));
}

std::string waves_text(const Session& session, std::string_view name, std::uint64_t from, std::uint64_t to) {
  const std::string file = fmt::format("waves/out/{}.fst", name);
  return fmt::format("the moment in waves:\n  {}--device rtl --trace {} --trace-from {} --trace-to {} ; {}",
                     without_output(session), file, from, to, gtkwave(session, file));
}

}  // namespace systole::cli
