// SPDX-License-Identifier: Apache-2.0
#include "number_options.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>

namespace systole::cli {

CLI::Validator whole_in(std::uint64_t first, std::uint64_t last) {
  const auto check = [first, last](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = error == std::errc() && end == text.data() + text.size() && value >= first && value <= last;
    return good ? std::string() : fmt::format("'{}' is no whole number from {} to {}", text, first, last);
  };
  const bool any = first == 0 && last == std::numeric_limits<std::uint64_t>::max();
  return {check, any ? std::string() : fmt::format("{} to {}", first, last), "whole"};
}

CLI::Validator real_in(double first, double last) {
  const auto check = [first, last](const std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool good = end != text.c_str() && *end == '\0' && value >= first && value <= last;  // not NaN
    return good ? std::string() : fmt::format("'{}' is no number from {:g} to {:g}", text, first, last);
  };
  return {check, fmt::format("{:g} to {:g}", first, last), "real"};
}

}  // namespace systole::cli
