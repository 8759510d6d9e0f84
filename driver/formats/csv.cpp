// SPDX-License-Identifier: Apache-2.0
#include "csv.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>

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

/// The text as a number, if it is nothing else: 0 below the least double, infinite above the greatest.
std::optional<double> number_in(std::string_view text) {
  text.remove_prefix(text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    std::istringstream stream{std::string(text)};
    stream.imbue(std::locale::classic());
    stream >> value;
    value = stream.fail() ? std::copysign(std::numeric_limits<double>::infinity(), value) : value;
  }
  return value;
}

/// What else than a text the file is; empty for a text.
std::string other_format(std::string_view text) {
  const auto begins = [&](std::string_view mark) { return text.substr(0, mark.size()) == mark; };
  if (begins("\xFF\xFE") || begins("\xFE\xFF")) {
    return "is UTF-16";
  }
  if (begins("PK\x03\x04") || begins("PK\x05\x06")) {
    return "is a workbook, or another zip archive";
  }
  if (begins("\x1F\x8B")) {
    return "is compressed (gzip)";
  }
  const std::size_t zero = text.find('\0');
  return zero == std::string_view::npos
             ? std::string()
             : fmt::format("has a byte of 0 in line {}, so that it is no text",
                           1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n'));
}

constexpr const char* kWriteNumbers = "write 52.5 for 52,5, and 52000.5 for 52,000.5";

/// The character that separates values in the place of commas; 0 if there is none.
char other_separator(std::string_view line) {
  constexpr std::string_view kOthers = ";\t";
  const std::size_t found = line.find_first_of(kOthers);
  return found == std::string_view::npos ? '\0' : line[found];
}

/// "52,5", "52,000.5".
bool is_number_with_commas(std::string_view text) {
  return text.find(',') != std::string_view::npos &&
         text.find_first_not_of("+-0123456789.,eE") == std::string_view::npos;
}

/// Bytes of the character of UTF-8 at the front of the text; 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80U ? 1 : first < 0xC2U ? 0 : first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
  const auto goes_on = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  const bool whole = first < 0xF5U && length > 0 && text.size() >= length &&
                     std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), goes_on);
  return whole ? length : 0;
}

bool is_whole(std::string_view text) { return text.find_first_not_of("+-0123456789") == std::string_view::npos; }

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    const bool visible = length > 0 && first >= 0x20U && first != 0x7FU;
    result += visible ? std::string(text.substr(0, length)) : fmt::format("\\x{:02x}", first);
    text.remove_prefix(std::max<std::size_t>(1, visible ? length : 1));
    if (result.size() >= kMost && !text.empty()) {
      return result + "...";
    }
  }
  return result;
}

namespace {

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
    if (const std::string other = other_format(text_); !other.empty()) {
      fail(fmt::format("{}; save it as CSV in UTF-8", other));
    }
    check_separator();
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

  /// A first line without commas, and with the separators of the next one.
  void check_separator() const {
    const std::string_view first = text_.substr(0, text_.find_first_of("\r\n"));
    const char other = other_separator(first);
    if (other == '\0' || first.find_first_of(",\"") != std::string_view::npos) {
      return;
    }
    std::string_view rest = text_.substr(first.size());
    rest.remove_prefix(std::min(rest.find_first_not_of("\r\n"), rest.size()));
    const std::string_view second = rest.substr(0, rest.find_first_of("\r\n"));
    if (second.empty() ||
        std::count(first.begin(), first.end(), other) == std::count(second.begin(), second.end(), other)) {
      fail_of_separator(other, "line 1");
    }
  }

  [[noreturn]] void fail_of_separator(char separator, const std::string& place) const {
    fail(fmt::format("{}: values are separated by {}; write commas between them, and numbers with a point: {}", place,
                     separator == ';' ? "';'" : "tabs", kWriteNumbers));
  }

  static bool is_header(const Cells& cells) {
    return std::none_of(cells.begin(), cells.end(), [](const std::string& cell) { return number_in(cell); }) &&
           std::any_of(cells.begin(), cells.end(), [](const std::string& cell) { return !cell.empty(); });
  }

  /// The cells of the next line.
  Cells next() {
    enum class In { kBlanks, kText, kQuotes, kEnd };
    ++line_;
    Cells cells;
    std::string cell;
    In in = In::kBlanks;
    const auto finish = [&] {
      cells.push_back(in == In::kEnd ? cell : trimmed(cell));
      cell.clear();
      in = In::kBlanks;
    };
    for (; at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r'; ++at_) {
      const char c = text_[at_];
      if (in == In::kQuotes) {
        const bool twice = c == '"' && text_.substr(at_ + 1, 1) == "\"";
        at_ += twice ? 1 : 0;
        in = c == '"' && !twice ? In::kEnd : in;
        cell.append(in == In::kQuotes ? 1 : 0, c);
      } else if (c == ',') {
        finish();
      } else if (in == In::kBlanks && c == '"') {
        cell.clear();
        in = In::kQuotes;
      } else if (in != In::kEnd) {
        cell += c;
        in = c == ' ' || c == '\t' ? in : In::kText;
      } else if (c != ' ' && c != '\t') {
        fail(
            fmt::format("{}: there is text behind the quotation mark that ends '{}'; a quotation mark within quotes is "
                        "written twice",
                        place(cells.size()), shown(cell)));
      }
    }
    if (in == In::kQuotes) {
      fail(fmt::format("line {}: a quotation mark is not closed; a value is within one line", line_));
    }
    finish();
    at_ += at_ < text_.size() && text_[at_] == '\r' ? 1 : 0;
    at_ += at_ < text_.size() && text_[at_] == '\n' ? 1 : 0;
    return cells;
  }

  std::string place(std::size_t column) const {
    return column >= table_.columns.size()
               ? fmt::format("line {}, column {}", line_, column + 1)
               : fmt::format("line {}, column {} ('{}')", line_, column + 1, shown(table_.columns[column]));
  }

  void add(const Cells& cells) {
    if (cells.size() == 1 && cells[0].empty() && table_.width != 1) {
      fail(fmt::format("line {} is empty; remove it", line_));
    }
    if (cells.size() != table_.width) {
      fail(fmt::format("line {} has {} values, the lines before have {}; give each row a value for each column{}",
                       line_, cells.size(), table_.width,
                       cells.size() < table_.width ? std::string() : fmt::format("; {}", kWriteNumbers)));
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
    if (const char other = value ? '\0' : other_separator(cell); other != '\0') {
      fail_of_separator(other, place(column));
    }
    if (!value && is_number_with_commas(cell)) {
      fail(fmt::format("{}: '{}' has a comma; {}", place(column), shown(cell), kWriteNumbers));
    }
    if (!value) {
      fail(
          fmt::format("{}: '{}' is no number; a column holds numbers alone, so that texts need numbers, such as "
                      "classes from 0",
                      place(column), shown(cell)));
    }
    if (!std::isfinite(*value)) {
      const bool digits = cell.find_first_of("0123456789") != std::string::npos;
      fail(fmt::format("{}: '{}' is {}; give a number", place(column), shown(cell),
                       digits ? "beyond the numbers below 1.8e308" : "not finite"));
    }
    if (!is_whole(cell)) {
      table_.whole[column] = false;
    } else if (std::abs(*value) >= kWholeLimit) {
      fail(fmt::format("{}: {} is beyond the integers below 2^53; write it as a real number", place(column),
                       shown(cell)));
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
