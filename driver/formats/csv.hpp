// SPDX-License-Identifier: Apache-2.0
// Tables of numbers as text: values separated by commas, a row a line, with or without a line of names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::csv {

struct Table {
  std::vector<std::string> columns;  ///< their names; empty if the file has none
  std::int64_t first_line = 1;       ///< the line of the first row of numbers, counted from 1
  std::size_t width = 0;             ///< columns
  std::vector<double> numbers;       ///< row by row
  std::vector<bool> whole;           ///< by column: whether all its numbers are written as integers
  std::size_t rows() const { return width == 0 ? 0 : numbers.size() / width; }
};

/// The first line has names if none of its values is a number. Values may be in double quotes, as in RFC 4180. Throws
/// FileError, naming file, line and column: for a value that is missing, no number, or not finite, for text behind a
/// value in quotes, rows of different lengths, integers of 2^53 or more, an empty line between rows, other separators
/// than commas, files without rows, and files that are no text: UTF-16, workbooks, zeros. A number below the least
/// double is 0.
Table read(const std::string& path);

/// The same from a text; messages begin with `name`.
Table parse(std::string_view text, const std::string& name);

/// A name or value of a table in a message: its beginning if it is long, and what a terminal would not show as \xNN.
std::string shown(std::string_view text);

/// Columns of the table as an array [rows, columns]: int64 if all are whole, else float64.
graph::Value array_of(const Table& table, const std::vector<std::size_t>& columns);

}  // namespace systole::csv
