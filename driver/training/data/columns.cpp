// SPDX-License-Identifier: Apache-2.0
#include "columns.hpp"

#include <fmt/core.h>

#include <cmath>
#include <map>

#include "named_array.hpp"

namespace systole::training {

std::vector<Column> columns_of(const graph::Value& rows, const std::vector<std::string>& names) {
  const std::vector<double> numbers = numbers_of(rows);
  const auto count = static_cast<double>(rows_of(rows));
  std::vector<Column> columns(names.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Column& column = columns[i];
    column.name = names[i];
    double sum = 0, squares = 0;
    for (std::size_t at = i; at < numbers.size(); at += columns.size()) {
      sum += numbers[at];
    }
    column.mean = sum / count;
    for (std::size_t at = i; at < numbers.size(); at += columns.size()) {
      squares += (numbers[at] - column.mean) * (numbers[at] - column.mean);
    }
    column.deviation = std::sqrt(squares / count);
  }
  return columns;
}

std::vector<std::string> far_columns(const std::vector<Column>& columns, const std::string& remedy) {
  constexpr double kLeast = 1e-2, kMost = 1e2;
  constexpr std::size_t kShown = 3;
  std::vector<std::string> lines;
  std::size_t far = 0;
  for (const Column& column : columns) {
    const bool fits =
        column.deviation >= kLeast && column.deviation <= kMost && std::abs(column.mean) <= kMost * column.deviation;
    if (column.deviation == 0 || fits) {
      continue;
    }
    if (++far <= kShown) {
      lines.push_back(fmt::format("{}: mean {:.4g} and deviation {:.4g} over the training samples are far from 0 and 1",
                                  column.name, column.mean, column.deviation));
    }
  }
  if (far > kShown) {
    lines.back() += fmt::format(", and so are those of {} more columns", far - kShown);
  }
  for (std::string& line : lines) {
    line += "; " + remedy;
  }
  return lines;
}

graph::Value standardized(const graph::Value& rows, const std::vector<Column>& columns) {
  const std::vector<double> numbers = numbers_of(rows);
  std::vector<float> result(numbers.size());
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    const Column& column = columns[at % columns.size()];
    result[at] = static_cast<float>((numbers[at] - column.mean) / (column.deviation == 0 ? 1 : column.deviation));
  }
  return make_value(graph::ElementType::kFloat32, rows.shape, result);
}

std::vector<std::string> unseen_classes(const Dataset& data, const Dataset& validation) {
  if (data.kind == TargetKind::kNumbers || data.targets.data.empty() ||
      static_cast<std::size_t>(graph::count(data.targets.shape)) != data.size()) {
    return {};
  }
  std::map<double, std::size_t> seen, wanted;
  for (const double number : numbers_of(data.targets)) {
    ++seen[number];
  }
  for (const double number : numbers_of(validation.targets)) {
    ++wanted[number];
  }
  std::vector<std::string> lines;
  for (const auto& [number, count] : wanted) {
    if (seen.count(number) == 0) {
      lines.push_back(
          fmt::format("class {} has {} samples to validate with and none to train with; mix the rows of "
                      "the file, whose last ones --hold-out takes, or give --validation-data",
                      number, count));
    }
  }
  return lines;
}

}  // namespace systole::training
