// SPDX-License-Identifier: Apache-2.0
// Text that passes print: lines in columns, numbers, names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systole {

/// A line for each row; cells of a column begin below each other, two spaces behind the longest before them.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// "442,368".
std::string grouped_digits(std::uint64_t value);

/// "442,368 MACs"; empty for none.
std::string macs_text(std::uint64_t macs);

/// The first of the names that a converter joined with ";", and of a long one the end.
std::string short_name(const std::string& name);

}  // namespace systole
