// SPDX-License-Identifier: Apache-2.0
// What the place where the output goes can show.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace systole::cli {

enum class Paint { kBold, kDim, kGood, kBad };

/// Colour and width of an output. A default one is a file: no colour, 80 columns.
struct Style {
  bool colour = false;
  int width = 80;

  /// The text in colour, or as it is where there is none.
  std::string operator()(Paint paint, std::string_view text) const;
};

/// Colour on a terminal only, and not with NO_COLOR set (no-color.org) or TERM=dumb. The width is the terminal's;
/// elsewhere that of the variable COLUMNS, if it is a number, or 80.
Style style_of(std::FILE* stream);

bool is_terminal(std::FILE* stream);

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t value);
/// "1 sample", "2,000 samples".
std::string counted(std::uint64_t count, const char* what);
/// At most 40 bytes of a name, its beginning and its end: of those that a converter has put together, separated by
/// semicolons, the first.
std::string short_name(const std::string& name);
/// A rate with three significant digits and its prefix: 1.05 M, 512 k.
std::string scaled(double value);
/// 0.9931 as "99.3 %".
std::string percent(double fraction);

}  // namespace systole::cli
