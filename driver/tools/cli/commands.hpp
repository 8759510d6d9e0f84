// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each function adds one to the program; after it has run, the session holds the exit code. Failures
// are exceptions, which run() turns into exit codes.
#pragma once

#include <CLI/CLI.hpp>

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "options.hpp"

namespace systole::cli {

void add_info(CLI::App& program, Session& session);
void add_matmul(CLI::App& program, Session& session);
void add_conv(CLI::App& program, Session& session);
void add_bench(CLI::App& program, Session& session);
void add_sweep(CLI::App& program, Session& session);
void add_digits(CLI::App& program, Session& session);
void add_disasm(CLI::App& program, Session& session);
void add_report(CLI::App& program, Session& session);
void add_inspect(CLI::App& program, Session& session);
void add_compile(CLI::App& program, Session& session);
void add_quantize(CLI::App& program, Session& session);
void add_run(CLI::App& program, Session& session);
void add_generate(CLI::App& program, Session& session);
void add_train(CLI::App& program, Session& session);
void add_kernel(CLI::App& program, Session& session);

/// Adds all of them.
void add_commands(CLI::App& program, Session& session);

/// Prints the failure on standard error; returns its exit code.
int report_failure(const std::exception& error, const Session& session);

/// The JSON for --json when a command fails: {"error": {text, exit_code, hang}}; `hang` is null unless the error is a
/// hang (systole/hang.hpp).
nlohmann::ordered_json failure_to_json(const std::exception& error, int exit_code);

/// At the end of the process: if standard output could not be written, says so on standard error. Returns the exit
/// code, which is kOutputLost if it was kOk before.
int end_output(int exit_code);

using AddCommands = void (*)(CLI::App& program, Session& session);

/// A program of these commands: parses, runs, reports; returns the exit code. Its help ends with the examples.
int run_program(AddCommands add, const std::string& examples, const std::vector<std::string>& arguments);

/// The program of all commands.
int run(const std::vector<std::string>& arguments);

}  // namespace systole::cli
