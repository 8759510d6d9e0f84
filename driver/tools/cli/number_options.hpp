// SPDX-License-Identifier: Apache-2.0
// Checks of options that are numbers. Those of CLI11 let NaN pass, and take -1 for the largest number without a sign.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>

namespace systole::cli {

inline constexpr std::uint64_t kMaxCount = 1'000'000'000;

/// A number in decimal digits, first to last.
CLI::Validator whole_in(std::uint64_t first, std::uint64_t last = std::numeric_limits<std::uint64_t>::max());

/// A real number, first to last.
CLI::Validator real_in(double first, double last);

}  // namespace systole::cli
