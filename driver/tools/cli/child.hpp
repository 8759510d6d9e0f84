// SPDX-License-Identifier: Apache-2.0
// Runs other programs as child processes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace systole::cli {

using Words = std::vector<std::string>;  ///< command line; the first word is the program

/// The result of a command, with its complete output and errors.
struct Finished {
  int code = 0;  ///< exit code; 128 + signal if it was killed
  std::string output, errors;
};

/// Runs all commands, `jobs` at a time, and returns their results in the order of the commands. `done` is called with
/// the number of finished ones. Other children of this process are not touched. Throws InputError for a program that
/// cannot be started or waited for, and ranks::Stopped after SIGINT, SIGTERM or SIGHUP; those that still run are then
/// ended, with everything that they have started. They end with this process however it ends.
std::vector<Finished> run_all(ranks::Ranks& ranks, const std::vector<Words>& commands, unsigned jobs,
                              const std::function<void(std::size_t)>& done);

/// Runs one command with both streams in the file `log`; `says` is called periodically with its last line. Returns the
/// exit code. Throws as run_all() does.
int run_logged(ranks::Ranks& ranks, const Words& command, const std::string& log,
               const std::function<void(const std::string&)>& says);

/// The last `most` lines of a text.
std::string last_lines(const std::string& text, std::size_t most);

/// A whole file; empty when it cannot be read.
std::string contents_of(const std::string& path);

/// Path of the running program.
std::string this_program();

}  // namespace systole::cli
