// SPDX-License-Identifier: Apache-2.0
// JSON from files that nobody vouches for.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "systole/file_error.hpp"

namespace systole::files {

/// Deeper documents are refused: many functions on a document call themselves for each level.
inline constexpr int kMaxJsonDepth = 64;

/// Throws FileError, with line and column for syntax errors: "NAME: line 3, column 7: expected EXPECTED, found '}'".
nlohmann::json parse_json(const std::string& text, const std::string& name, const std::string& expected);

}  // namespace systole::files
