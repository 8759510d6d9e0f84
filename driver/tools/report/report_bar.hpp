// SPDX-License-Identifier: Apache-2.0
// Stacked bars of letters: they need no colour.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "run_file.hpp"
#include "terminal.hpp"

namespace systole::report {

/// `width` letters shared among the causes in proportion to `counts`, by largest remainder; all blank without cycles.
std::string bar(const std::array<std::uint64_t, kCauseCount>& counts, int width);

/// A bar per layer and engine, as wide as the terminal, and the legend of the letters that occur.
std::string bars_text(const std::vector<Layer>& layers, const cli::Style& style);

}  // namespace systole::report
