// SPDX-License-Identifier: Apache-2.0
// Parses two-dimensional sizes on the command line.
#pragma once

#include <array>
#include <string>

namespace systole::cli {

/// "3" or "3x5" as rows and columns. Throws InputError, naming option, text and range.
std::array<int, 2> parse_pair(const std::string& option, const std::string& text, int least, int most);

/// "1", "1x2" (rows, columns) or "top,bottom,left,right", in this order. Throws as parse_pair().
std::array<int, 4> parse_sides(const std::string& option, const std::string& text, int least, int most);

}  // namespace systole::cli
