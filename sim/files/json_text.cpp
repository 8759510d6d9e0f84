// SPDX-License-Identifier: Apache-2.0
#include "json_text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace systole::files {
namespace {

std::string shown(unsigned char byte) {
  return byte > 0x20 && byte < 0x7F ? fmt::format("'{}'", static_cast<char>(byte)) : fmt::format("byte {:#04x}", byte);
}

/// Line, column and what is there.
std::string place(const std::string& text, std::size_t byte, const std::string& expected) {
  const std::string before = text.substr(0, std::min(text.size(), byte > 0 ? byte - 1 : 0));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string::npos ? 0 : start + 1) + 1;
  const bool at_end = before.size() >= text.size();
  return fmt::format(
      "line {}, column {}: expected {}, found {}", line, column, expected,
      at_end ? std::string("the end of the file") : shown(static_cast<unsigned char>(text[before.size()])));
}

}  // namespace

nlohmann::json parse_json(const std::string& text, const std::string& name, const std::string& expected) {
  const auto check_depth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > kMaxJsonDepth) {
      throw FileError(
          fmt::format("{}: expected {}, found values nested more than {} deep", name, expected, kMaxJsonDepth));
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, check_depth);
  } catch (const nlohmann::json::parse_error& error) {
    throw FileError(fmt::format("{}: {}", name, place(text, error.byte, expected)));
  } catch (const nlohmann::json::out_of_range& error) {
    throw FileError(
        fmt::format("{}: expected {}, found a number beyond the range of a double: {}", name, expected, error.what()));
  }
}

}  // namespace systole::files
