// SPDX-License-Identifier: Apache-2.0
#include "text_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace systole::cli {
namespace {

/// Width of the text on the screen, not counting colour codes.
std::size_t visible(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      i = std::min(text.find('m', i), text.size() - 1);
    } else {
      ++count;
    }
  }
  return count;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw std::logic_error(fmt::format("table: a row has {} cells, the title has {}", cells.size(), columns_.size()));
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text(const Style& style) const {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns_) {
    lines[0].push_back(style(Paint::kBold, column.title));
  }
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], visible(line[i]));
    }
  }
  std::string result;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - visible(line[i]), ' ');
      row += "  ";
      row += columns_[i].align == Align::kRight ? blanks + line[i] : line[i] + blanks;
    }
    row.erase(row.find_last_not_of(' ') + 1);
    result += row + '\n';
  }
  return result;
}

}  // namespace systole::cli
