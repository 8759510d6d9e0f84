// SPDX-License-Identifier: Apache-2.0
// The report as one page that needs nothing else: no network, no fonts, no other files.
#pragma once

#include <string>
#include <string_view>

#include "run_file.hpp"

namespace systole::report {

/// `before` is the run to compare with, or null.
std::string html_report(const RunFile& run, const RunFile* before);

/// Text as HTML shows it.
std::string escaped(std::string_view text);

/// JSON text that stays the same JSON and cannot end the script element that holds it.
std::string script_safe(std::string_view json);

}  // namespace systole::report
