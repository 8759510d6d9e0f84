// SPDX-License-Identifier: Apache-2.0
// Capabilities of the output.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace systole::cli {

enum class Paint { kBold, kDim, kGood, kBad };

/// Colour and width of an output. The default is that of a file: no colour, 80 columns.
struct Style {
  bool colour = false;
  int width = 80;

  /// The text in colour, or unchanged without colour.
  std::string operator()(Paint paint, std::string_view text) const;
};

/// Colour only on a terminal, and not if NO_COLOR is set (no-color.org) or TERM=dumb. The width is the terminal's;
/// otherwise that of the variable COLUMNS, if it is a number, or 80.
Style style_of(std::FILE* stream);

bool is_terminal(std::FILE* stream);

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t value);
/// "1 sample", "2,000 samples".
std::string counted(std::uint64_t count, const char* what);
/// A name shortened to 40 bytes, beginning and end; of names that a converter has joined by semicolons, the first.
std::string short_name(const std::string& name);
/// A rate with three significant digits and an SI prefix: 1.05 M, 512 k.
std::string scaled(double value);
/// 0.9931 as "99.3 %".
std::string percent(double fraction);

}  // namespace systole::cli
