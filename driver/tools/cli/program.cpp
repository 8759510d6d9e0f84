// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <set>
#include <stdexcept>
#include <utility>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "failure_kind.hpp"
#include "output_error.hpp"
#include "parallel.hpp"
#include "parse_failure.hpp"
#include "standard_output.hpp"
#include "stop_request.hpp"
#include "systole/graph.hpp"
#include "systole/lockstep.hpp"
#include "terminal.hpp"
#include "together.hpp"

namespace systole::cli {
namespace {

int fail(int code, const char* what, const std::string& text) {
  flush_output();
  fmt::print(stderr, "{} {}\n", style_of(stderr)(Paint::kBad, what), text);
  return code;
}

/// The file given by --json of the command that was called.
std::string json_file(const CLI::App& program) {
  for (const CLI::App* command : program.get_subcommands()) {
    const CLI::Option* option = command->get_option_no_throw("--json");
    if (option != nullptr && option->count() > 0) {
      return option->as<std::string>();
    }
  }
  return {};
}

/// Writes the failure to the JSON. If that cannot be written, the message on standard error suffices.
void write_failure(const CLI::App& program, const std::exception& error, int exit_code) {
  DeviceOptions options;
  options.json = json_file(program);
  try {
    write_json(options, failure_to_json(error, exit_code));
  } catch (const InputError&) {}
}

/// With waves from shortly before the engine took the command until shortly after the divergence was detected.
std::string divergence_text(const Divergence& divergence, const Session& session) {
  constexpr std::uint64_t kMargin = 50;
  const std::uint64_t first = divergence.started == 0 ? divergence.cycle : divergence.started;
  return fmt::format("{}\n{}", divergence.text(),
                     waves_text(session, "divergence", first - std::min(first, kMargin), divergence.cycle + kMargin));
}

nlohmann::ordered_json to_json(const Divergence& d) {
  return {{"layer", d.layer},
          {"command", d.index - d.first_index},
          {"instruction", d.instruction},
          {"engine", isa::to_string(d.engine)},
          {"started", d.started},
          {"cycle", d.cycle},
          {"problem", d.problem},
          {"place", d.place},
          {"expected", d.expected},
          {"actual", d.actual},
          {"differences", d.differences},
          {"note", d.note}};
}

/// Joins the processes of a launch. Only the first prints; each computes with its share of the machine's cores.
void join_launch(Session& session) {
  try {
    session.ranks = ranks::of_launch();
  } catch (const Failure& failure) {
    throw InputError(failure.what());
  }
  const std::set<std::string> shared = {"bench", "run", "sweep", "train"};
  const std::string command = session.arguments.size() > 1 ? session.arguments[1] : std::string();
  if (session.ranks->several() && shared.count(command) == 0) {
    throw ranks::CommonFailure(
        fmt::format("systole {} runs in one process, not in {} ranks; they share the work of systole {}", command,
                    session.ranks->size(), fmt::join(shared, ", ")));
  }
  if (session.ranks->several()) {
    setenv("NO_COLOR", "1", 1);  // the launcher passes the output on, to a terminal or not
  }
  if (!session.ranks->is_first() && std::freopen("/dev/null", "w", stdout) == nullptr) {
    throw InputError("/dev/null: cannot be opened");
  }
}

/// Reports the failure of this rank, or of all.
int end_ranks(const CLI::App& program, const std::exception& error, const Session& session) {
  ranks::Ranks& ranks = *session.ranks;
  const bool common = dynamic_cast<const ranks::CommonFailure*>(&error) != nullptr;
  if (common && !ranks.is_first()) {
    return kBadInput;
  }
  if (!ranks.is_first()) {
    fmt::print(stderr, "rank {}: ", ranks.rank());
  }
  const int exit_code = report_failure(error, session);
  if (dynamic_cast<const OutputError*>(&error) == nullptr) {
    write_failure(program, error, exit_code);
  }
  if (!common) {
    std::fflush(nullptr);
    ranks.abandon(exit_code);
  }
  return exit_code;
}

int end_parsing(const CLI::App& program, const CLI::ParseError& error, const Session& session) {
  std::ostream nothing(nullptr);
  const bool first = session.ranks->is_first();
  if (error.get_exit_code() == 0) {  // help was requested
    program.exit(error, first ? std::cout : nothing, nothing);
    return kOk;
  }
  return first ? fail(kBadInput, "error:", parse_failure_text(program, error, session.arguments)) : kBadInput;
}

}  // namespace

nlohmann::ordered_json failure_to_json(const std::exception& error, int exit_code) {
  const auto* explained = dynamic_cast<const HangExplained*>(&error);
  nlohmann::ordered_json json;
  json["text"] = error.what();
  json["exit_code"] = exit_code;
  json["hang"] = explained != nullptr && explained->hang ? explained->hang->to_json() : nlohmann::ordered_json(nullptr);
  const auto* diverged = dynamic_cast<const LockstepDivergence*>(&error);
  json["divergence"] = diverged != nullptr ? to_json(diverged->divergence()) : nlohmann::ordered_json(nullptr);
  return {{"error", std::move(json)}};
}

int report_failure(const std::exception& error, const Session& session) {
  if (const auto* stopped = dynamic_cast<const ranks::Stopped*>(&error)) {
    return fail(stopped->exit_code(), "stopped:", error.what());
  }
  if (const auto* found = dynamic_cast<const LockstepDivergence*>(&error)) {
    return fail(kMismatch, "divergence:", divergence_text(found->divergence(), session));
  }
  switch (const int code = exit_code_of(error)) {
    case kDeviceError:
      return fail(code, "device error:", fmt::format("{}\n{}", error.what(), waves_text(session, "error")));
    case kInternal:
      return fail(code, "internal error:",
                  fmt::format("{}\nThis is a bug in Systole. A report needs this text, the command and its files.",
                              error.what()));
    default: return fail(code, "error:", input_error_text(error));
  }
}

int end_output(int exit_code) {
  const int error = output_error();
  if (error == 0) {
    return exit_code;
  }
  fmt::print(stderr, "{} standard output: {}\n", style_of(stderr)(Paint::kBad, "error:"), std::strerror(error));
  return exit_code == kOk ? kOutputLost : exit_code;
}

int run_program(AddCommands add, const std::string& examples, const std::vector<std::string>& arguments) {
  Session session{arguments, kOk};
  CLI::App program(
      "Systole: an open tensor processing unit, cycle by cycle on its RTL or quickly on its functional model");
  program.name("systole");
  program.require_subcommand(0, 1);  // no subcommand is an error below: CLI11 would hide a misspelt one
  program.footer(
      examples +
      "Exit codes: 0 success, 1 a result differs from the golden model or an effect from the functional model "
      "(inspect: something is unsupported), 2 what you can mend: options, files, disks, memory, 3 the device failed, "
      "4 standard output could not be written, 5 an error inside Systole.");
  add(program, session);

  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  if (!reversed.empty()) {
    reversed.pop_back();  // program name
  }
  try {
    join_launch(session);
    const golden::MostThreads share(golden::MostThreads::here() /
                                    static_cast<std::size_t>(session.ranks->on_this_machine()));
    program.parse(reversed);
    if (program.get_subcommands().empty()) {
      throw InputError("no subcommand given; systole --help lists them");
    }
    return session.exit_code;
  } catch (const CLI::ParseError& error) {
    return end_parsing(program, error, session);
  } catch (const std::exception& error) {
    return end_ranks(program, error, session);
  }
}

}  // namespace systole::cli
