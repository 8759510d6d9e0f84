// SPDX-License-Identifier: Apache-2.0
#include "read_arrays.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "csv.hpp"
#include "idx.hpp"
#include "input_file.hpp"
#include "npz.hpp"
#include "systole/errors.hpp"

namespace systole::training {
namespace {

/// A file, and what is meant of it.
struct Source {
  std::string path, part;
};

Source source_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(text)) {
    return {text, {}};
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

bool ends_in(const std::string& path, std::string_view end) {
  return path.size() >= end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
}

bool is_table(const Source& source) { return ends_in(source.path, ".csv") || ends_in(source.path, ".CSV"); }

bool is_one_table(const Source& a, const Source& b) {
  std::error_code none;  // of a file that is not there: reading says so
  return is_table(a) && is_table(b) && (a.path == b.path || std::filesystem::equivalent(a.path, b.path, none));
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> found(1);
  for (const char c : text) {
    if (c == ',') {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

/// A name says which column is meant.
void check_unique(const csv::Table& table, const Source& source, const std::string& name) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i] == name) {
      numbers.push_back(i + 1);
    }
  }
  if (numbers.size() > 1) {
    throw InvalidArgument(fmt::format("{}: columns {} are all named '{}'; say which by its number, as {}:{}",
                                      source.path, fmt::join(numbers, ", "), name, source.path, numbers[0]));
  }
}

/// The columns that a text lists; none if it is empty.
std::vector<std::size_t> columns_of(const csv::Table& table, const Source& source) {
  std::vector<std::size_t> columns;
  for (const std::string& word : source.part.empty() ? std::vector<std::string>{} : words(source.part)) {
    const auto named = std::find(table.columns.begin(), table.columns.end(), word);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (named != table.columns.end()) {
      check_unique(table, source, word);
      columns.push_back(static_cast<std::size_t>(named - table.columns.begin()));
    } else if (error == std::errc{} && end == word.data() + word.size() && number >= 1 && number <= table.width) {
      columns.push_back(number - 1);
    } else {
      std::vector<std::string> names;
      std::transform(table.columns.begin(), table.columns.end(), std::back_inserter(names), csv::shown);
      throw InvalidArgument(fmt::format("{}: has no column '{}'; there are {}", source.path, word,
                                        names.empty() ? fmt::format("1 to {}, without names", table.width)
                                                      : fmt::format("{}", fmt::join(names, ", "))));
    }
  }
  return columns;
}

NamedArray part_of(const csv::Table& table, const std::string& path, const std::vector<std::size_t>& columns) {
  NamedArray array{path, csv::array_of(table, columns), {}, {}, table.first_line};
  for (const std::size_t column : columns) {
    array.numbers.push_back(column + 1);
    if (!table.columns.empty()) {
      array.columns.push_back(table.columns[column]);
    }
  }
  return array;
}

std::vector<std::size_t> all_of(const csv::Table& table) {
  std::vector<std::size_t> columns(table.width);
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

NamedArray of_archive(const graph::Bytes& bytes, const Source& source) {
  const npy::Archive archive = npy::parse_archive(bytes, source.path);
  std::vector<std::string> names;
  for (const auto& [member, content] : archive) {
    names.push_back(ends_in(member, ".npy") ? member.substr(0, member.size() - 4) : member);
  }
  if (source.part.empty() && archive.size() != 1) {
    throw InvalidArgument(fmt::format("{}: holds {} arrays: {}; name one, as {}:NAME", source.path, archive.size(),
                                      fmt::join(names, ", "), source.path));
  }
  const std::string name = source.part.empty() ? names.front() : source.part;
  const auto found = archive.find(name + ".npy");
  if (found == archive.end()) {
    throw InvalidArgument(
        fmt::format("{}: holds no array '{}'; there are {}", source.path, name, fmt::join(names, ", ")));
  }
  const std::string text = fmt::format("{}:{}", source.path, name);
  return {text, npy::parse(found->second, text)};
}

NamedArray read(const Source& source) {
  if (is_table(source)) {
    const csv::Table table = csv::read(source.path);
    const std::vector<std::size_t> columns = columns_of(table, source);
    return part_of(table, source.path, columns.empty() ? all_of(table) : columns);
  }
  const graph::Bytes bytes = files::read_file(source.path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (bytes.empty()) {
    throw FileError(fmt::format("{}: the file is empty; give an array of samples", source.path));
  }
  if (text.substr(0, 4) == "PK\x03\x04" || text.substr(0, 4) == "PK\x05\x06") {
    return of_archive(bytes, source);
  }
  if (!source.part.empty()) {
    throw InvalidArgument(
        fmt::format("{}: ':{}' is for archives (.npz) and tables (.csv); this is neither", source.path, source.part));
  }
  if (text.substr(0, 6) == "\x93NUMPY") {
    return {source.path, npy::parse(bytes, source.path)};
  }
  const bool zipped = text.substr(0, 2) == "\x1f\x8b", zeros = text.substr(0, 2) == std::string_view("\0\0", 2);
  if (zipped || zeros) {
    return {source.path, digits::read_array(source.path)};
  }
  throw FileError(fmt::format("{}: neither an array of NumPy (.npy, .npz) nor IDX, and its name does not end in .csv",
                              source.path));
}

/// A network that is given its target learns nothing else. All columns as their own targets are meant so.
void check_targets_apart(const NamedArray& input, const NamedArray& targets) {
  if (input.numbers == targets.numbers) {
    return;
  }
  for (const std::size_t number : targets.numbers) {
    const auto found = std::find(input.numbers.begin(), input.numbers.end(), number);
    if (found != input.numbers.end()) {
      const auto place = static_cast<std::size_t>(found - input.numbers.begin());
      throw InvalidArgument(fmt::format(
          "{}: column {}{} is a target and an input, so that the network would read its answer; leave it "
          "out of the input",
          input.name, number, input.columns.empty() ? std::string() : fmt::format(" ('{}')", input.columns.at(place))));
    }
  }
}

}  // namespace

std::string path_of(const std::string& source) {
  const bool is_path = std::filesystem::exists(source) || source.find('=') == std::string::npos;
  return source_of(is_path ? source : source.substr(source.find('=') + 1)).path;
}

NamedArray read_array(const std::string& source) { return read(source_of(source)); }

Data read_data(const std::vector<std::string>& inputs, const std::string& targets) {
  const Source target = source_of(targets);
  Data data;
  std::vector<bool> shared_table;
  for (const std::string& text : inputs) {
    const std::size_t equals = std::filesystem::exists(text) ? std::string::npos : text.find('=');
    const std::string name = equals == std::string::npos ? std::string() : text.substr(0, equals);
    const Source source = source_of(equals == std::string::npos ? text : text.substr(equals + 1));
    if (source.part.empty() && is_one_table(source, target)) {
      if (target.part.empty()) {
        throw InvalidArgument(fmt::format(
            "{}: the input and the targets are the whole table; name the columns of the targets, as {}:COLUMN",
            source.path, source.path));
      }
      const csv::Table table = csv::read(source.path);
      std::vector<std::size_t> columns = all_of(table);
      for (const std::size_t column : columns_of(table, target)) {
        columns.erase(std::remove(columns.begin(), columns.end(), column), columns.end());
      }
      if (columns.empty()) {
        throw InvalidArgument(fmt::format("{}: all columns are targets; none is left for the input", source.path));
      }
      data.inputs.push_back({name, part_of(table, source.path, columns)});
    } else {
      data.inputs.push_back({name, read(source)});
    }
    shared_table.push_back(is_one_table(source, target));
  }
  data.targets = read(target);
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    if (shared_table[i]) {
      check_targets_apart(data.inputs[i].array, data.targets);
    }
  }
  return data;
}

}  // namespace systole::training
