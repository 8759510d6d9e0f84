// SPDX-License-Identifier: Apache-2.0
#include "sizes_text.hpp"

#include <charconv>

namespace systole::training {

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t dash = text.find('-');
    parts.emplace_back(text.substr(0, dash));
    if (dash == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(dash + 1);
  }
}

std::optional<std::int64_t> size_in(const std::string& part) {
  constexpr std::int64_t kMost = 1 << 20;
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), size);
  const bool fits = error == std::errc{} && end == part.data() + part.size() && size >= 1 && size <= kMost;
  return fits ? std::optional(size) : std::nullopt;
}

}  // namespace systole::training
