// SPDX-License-Identifier: Apache-2.0
// Stacked bars of characters, readable without colour.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "run_file.hpp"
#include "terminal.hpp"

namespace systole::report {

/// `width` characters divided among the causes in proportion to `counts`, by largest remainder; blank if there are no
/// cycles.
std::string bar(const std::array<std::uint64_t, kCauseCount>& counts, int width);

/// A bar per layer and engine, as wide as the terminal, and the legend of the characters used.
std::string bars_text(const std::vector<Layer>& layers, const cli::Style& style);

}  // namespace systole::report
