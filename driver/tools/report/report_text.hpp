// SPDX-License-Identifier: Apache-2.0
// The report as text for a terminal.
#pragma once

#include <string>

#include "run_file.hpp"
#include "terminal.hpp"

namespace systole::report {

/// `before` is the run to compare with, or null.
std::string text_report(const RunFile& run, const RunFile* before, const cli::Style& style);

}  // namespace systole::report
