// SPDX-License-Identifier: Apache-2.0
#include "csv.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "input_file.hpp"
#include "systole/file_error.hpp"

namespace systole::csv {
namespace {

using Cells = std::vector<std::string>;

constexpr double kWholeLimit = 9007199254740992.0;  // 2^53: doubles hold all integers below it

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string()
                                         : std::string(text.substr(first, text.find_last_not_of(" \t") + 1 - first));
}

/// The text as a number, if it is nothing else.
std::optional<double> number_in(std::string_view text) {
  text.remove_prefix(text.size() > 1 && text[0] == '+' ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool is_whole(std::string_view text) { return text.find_first_not_of("+-0123456789") == std::string_view::npos; }

/// Lines, and the place of each value.
class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of UTF-8
    text_.remove_prefix(text_.substr(0, kMark.size()) == kMark ? kMark.size() : 0);
    while (!text_.empty() && (text_.back() == '\n' || text_.back() == '\r')) {
      text_.remove_suffix(1);
    }
  }

  Table run() {
    if (text_.empty()) {
      fail("the file is empty; give a row of numbers for each sample");
    }
    Cells cells = next();
    table_.width = cells.size();
    table_.whole.assign(cells.size(), true);
    if (is_header(cells)) {
      table_.columns = std::move(cells);
      table_.first_line = 2;
      if (at_ >= text_.size()) {
        fail("there are names of columns and no rows; give a row of numbers for each sample");
      }
      cells = next();
    }
    add(cells);
    while (at_ < text_.size()) {
      add(next());
    }
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw FileError(fmt::format("{}: {}", name_, what)); }

  static bool is_header(const Cells& cells) {
    return std::none_of(cells.begin(), cells.end(), [](const std::string& cell) { return number_in(cell); }) &&
           std::any_of(cells.begin(), cells.end(), [](const std::string& cell) { return !cell.empty(); });
  }

  /// The cells of the next line.
  Cells next() {
    ++line_;
    Cells cells;
    std::string cell;
    bool quoted = false, was_quoted = false;
    const auto finish = [&] {
      cells.push_back(was_quoted ? cell : trimmed(cell));
      cell.clear();
      was_quoted = false;
    };
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quoted && c == '"' && at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        cell += text_[++at_];
      } else if (c == '"' && (quoted || trimmed(cell).empty())) {
        quoted = !quoted;
        cell = quoted ? std::string() : cell;
        was_quoted = true;
      } else if (!quoted && c == ',') {
        finish();
      } else if (c == '\n' || c == '\r') {
        break;
      } else if (!was_quoted || quoted) {
        cell += c;
      }
    }
    if (quoted) {
      fail(fmt::format("line {}: a quotation mark is not closed; a value is within one line", line_));
    }
    finish();
    at_ += at_ < text_.size() && text_[at_] == '\r' ? 1 : 0;
    at_ += at_ < text_.size() && text_[at_] == '\n' ? 1 : 0;
    return cells;
  }

  std::string place(std::size_t column) const {
    return table_.columns.empty() ? fmt::format("line {}, column {}", line_, column + 1)
                                  : fmt::format("line {}, column {} ('{}')", line_, column + 1, table_.columns[column]);
  }

  void add(const Cells& cells) {
    if (cells.size() == 1 && cells[0].empty() && table_.width != 1) {
      fail(fmt::format("line {} is empty; remove it", line_));
    }
    if (cells.size() != table_.width) {
      fail(fmt::format("line {} has {} values, the lines before have {}; give each row a value for each column", line_,
                       cells.size(), table_.width));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      table_.numbers.push_back(number(cells[i], i));
    }
  }

  double number(const std::string& cell, std::size_t column) {
    const std::optional<double> value = number_in(cell);
    const bool missing =
        cell.empty() || cell == "NA" || cell == "N/A" || cell == "null" || cell == "?" || (value && std::isnan(*value));
    if (missing) {
      fail(fmt::format("{}: the value is missing ('{}'); fill it in, or leave the row out", place(column), cell));
    }
    if (!value) {
      fail(
          fmt::format("{}: '{}' is no number; a column holds numbers alone, so that texts need numbers, such as "
                      "classes from 0",
                      place(column), cell));
    }
    if (!std::isfinite(*value)) {
      fail(fmt::format("{}: '{}' is not finite; give a number", place(column), cell));
    }
    if (!is_whole(cell)) {
      table_.whole[column] = false;
    } else if (std::abs(*value) >= kWholeLimit) {
      fail(fmt::format("{}: {} is beyond the integers below 2^53; write it as a real number", place(column), cell));
    }
    return *value;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::int64_t line_ = 0;
  Table table_;
};

}  // namespace

Table read(const std::string& path) { return parse(files::read_text(path), path); }

Table parse(std::string_view text, const std::string& name) { return Reader(text, name).run(); }

graph::Value array_of(const Table& table, const std::vector<std::size_t>& columns) {
  const graph::Shape shape = {static_cast<std::int64_t>(table.rows()), static_cast<std::int64_t>(columns.size())};
  const bool whole = std::all_of(columns.begin(), columns.end(), [&](std::size_t c) { return table.whole.at(c); });
  std::vector<double> reals;
  reals.reserve(table.rows() * columns.size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (const std::size_t column : columns) {
      reals.push_back(table.numbers[row * table.width + column]);
    }
  }
  if (!whole) {
    return make_value(graph::ElementType::kFloat64, shape, reals);
  }
  const std::vector<std::int64_t> integers(reals.begin(), reals.end());
  return make_value(graph::ElementType::kInt64, shape, integers);
}

}  // namespace systole::csv
