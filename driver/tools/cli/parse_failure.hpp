// SPDX-License-Identifier: Apache-2.0
// What is wrong with a command line.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace systole::cli {

/// The text of an error: for an option or a command that does not exist, the one whose name is nearest, if one is near.
std::string parse_failure_text(const CLI::App& program, const CLI::ParseError& error,
                               const std::vector<std::string>& arguments);

}  // namespace systole::cli
