// SPDX-License-Identifier: Apache-2.0
// The report as a self-contained page: no network, no fonts, no other files.
#pragma once

#include <string>
#include <string_view>

#include "run_file.hpp"

namespace systole::report {

/// `before` is the run to compare with, or null.
std::string html_report(const RunFile& run, const RunFile* before);

/// Escapes text for HTML.
std::string escaped(std::string_view text);

/// Escapes JSON so that it cannot end the script element that contains it; the value is unchanged.
std::string script_safe(std::string_view json);

}  // namespace systole::report
