// SPDX-License-Identifier: Apache-2.0
// What the passes of a compilation did, as text.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "systole/pass_log.hpp"
#include "terminal.hpp"

namespace systole::cli {

struct PassOptions {
  std::vector<std::string> listed;  ///< passes after which the network is printed
  bool all = false;                 ///< after each pass that changed it
  bool table = false;

  bool any() const { return !listed.empty() || all || table; }
};

/// --print-after and --passes.
void add_pass_options(CLI::App& command, PassOptions& options);

/// A log that has what the options ask for.
PassLog log_for(const PassOptions& options);

/// The network after each pass that the options name: a line for each operator or layer.
std::string listings_text(const PassLog& log, const PassOptions& options);

/// A row for each pass: how often it was applied, what it found and what it left, and how long it took, with all
/// programs of the network together.
std::string passes_text(const PassLog& log, const Style& style);

}  // namespace systole::cli
