// SPDX-License-Identifier: Apache-2.0
// Tables of text with aligned columns.
#pragma once

#include <string>
#include <vector>

#include "terminal.hpp"

namespace systole::cli {

class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kRight;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell per column.
  void add(std::vector<std::string> cells);

  /// Title line and rows, each ending in a line break, columns separated by two spaces. Colour codes do not affect the
  /// alignment.
  std::string text(const Style& style) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace systole::cli
