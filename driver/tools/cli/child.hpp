// SPDX-License-Identifier: Apache-2.0
// Other programs, run as children of this one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace systole::cli {

using Words = std::vector<std::string>;  ///< of a command; the first is the program

/// What a command left. Output and errors are whole.
struct Finished {
  int code = 0;  ///< exit code; 128 + signal for one that was killed
  std::string output, errors;
};

/// Runs all commands, `jobs` at a time, and returns what they left in the order of the commands. `done` is called with
/// the number of finished ones. Other children of this process are left alone. Throws InputError for a program that
/// cannot be started or waited for.
std::vector<Finished> run_all(const std::vector<Words>& commands, unsigned jobs,
                              const std::function<void(std::size_t)>& done);

/// Runs one command with both streams in the file `log`; `says` is called from time to time with its last line. Returns
/// the exit code.
int run_logged(const Words& command, const std::string& log, const std::function<void(const std::string&)>& says);

/// The last `most` lines of a text.
std::string last_lines(const std::string& text, std::size_t most);

/// A whole file; empty when it cannot be read.
std::string contents_of(const std::string& path);

/// The program that runs.
std::string this_program();

}  // namespace systole::cli
