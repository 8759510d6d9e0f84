// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "shortened.hpp"

namespace systole::cli {
namespace {

constexpr int kNarrowest = 20;

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

std::string Style::operator()(Paint paint, std::string_view text) const {
  if (!colour) {
    return std::string(text);
  }
  constexpr std::array<const char*, 4> kCodes = {"1", "2", "32", "1;31"};
  return fmt::format("\033[{}m{}\033[0m", kCodes[static_cast<std::size_t>(paint)], text);
}

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

Style style_of(std::FILE* stream) {
  Style style;
  const char* term = std::getenv("TERM");
  style.colour = is_terminal(stream) && !is_set("NO_COLOR") && std::string_view(term == nullptr ? "" : term) != "dumb";
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = size.ws_col;
  } else if (is_set("COLUMNS") && std::atoi(std::getenv("COLUMNS")) > 0) {
    style.width = std::atoi(std::getenv("COLUMNS"));
  }
  style.width = std::max(style.width, kNarrowest);
  return style;
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s");
}

std::string short_name(const std::string& name) {
  constexpr std::size_t kLongest = 40;
  return shortened(name.substr(0, name.find(';')), kLongest);
}

std::string scaled(double value) {
  constexpr std::array<const char*, 5> kPrefixes = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const int decimals = std::abs(value) >= 99.95 || value == 0 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, kPrefixes[prefix]);
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

}  // namespace systole::cli
