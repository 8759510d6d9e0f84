// SPDX-License-Identifier: Apache-2.0
#include "size_options.hpp"

#include <fmt/core.h>

#include <charconv>
#include <vector>

#include "exit_codes.hpp"

namespace systole::cli {
namespace {

/// The numbers between separators; empty if one is invalid or out of range.
std::vector<int> numbers(const std::string& text, char separator, int least, int most) {
  std::vector<int> result;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    int value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < least || value > most || (next != end && *next != separator)) {
      return {};
    }
    result.push_back(value);
    if (next == end) {
      return result;
    }
    at = next + 1;
  }
}

}  // namespace

std::array<int, 2> parse_pair(const std::string& option, const std::string& text, int least, int most) {
  const std::vector<int> found = numbers(text, 'x', least, most);
  if (found.empty() || found.size() > 2) {
    throw InputError(
        fmt::format("{}: '{}' is neither N nor HxW with numbers from {} to {}", option, text, least, most));
  }
  return {found.front(), found.back()};
}

std::array<int, 4> parse_sides(const std::string& option, const std::string& text, int least, int most) {
  const std::vector<int> sides = numbers(text, ',', least, most);
  if (sides.size() == 4) {
    return {sides[0], sides[1], sides[2], sides[3]};
  }
  const std::vector<int> pair = numbers(text, 'x', least, most);
  if (pair.empty() || pair.size() > 2) {
    throw InputError(
        fmt::format("{}: '{}' is not one of N, HxW and T,B,L,R with numbers from {} to {}", option, text, least, most));
  }
  return {pair.front(), pair.front(), pair.back(), pair.back()};
}

}  // namespace systole::cli
