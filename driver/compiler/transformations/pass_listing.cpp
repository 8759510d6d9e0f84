// SPDX-License-Identifier: Apache-2.0
#include "pass_listing.hpp"

#include <algorithm>
#include <cstddef>

namespace systole {

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] == 0 ? 0 : widths[i] - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string grouped_digits(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

std::string macs_text(std::uint64_t macs) { return macs == 0 ? "" : grouped_digits(macs) + " MACs"; }

std::string short_name(const std::string& name) {
  constexpr std::size_t kMost = 40;
  const std::string first = name.substr(0, name.find(';'));
  return first.size() <= kMost ? first : "..." + first.substr(first.size() - kMost + 3);
}

}  // namespace systole
