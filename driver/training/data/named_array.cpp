// SPDX-License-Identifier: Apache-2.0
#include "named_array.hpp"

#include <fmt/ranges.h>

#include <cmath>

#include "csv.hpp"
#include "element_visit.hpp"
#include "systole/errors.hpp"

namespace systole::training {

std::size_t rows_of(const graph::Value& value) {
  return value.shape.empty() ? 0 : static_cast<std::size_t>(value.shape[0]);
}

bool is_whole(graph::ElementType type) {
  return graph::with_element(type, [](auto element) { return !graph::kIsReal<decltype(element)>; });
}

std::vector<double> numbers_of(const graph::Value& value) {
  return graph::with_element(value.type, [&](auto element) {
    std::vector<double> numbers;
    numbers.reserve(static_cast<std::size_t>(graph::count(value.shape)));
    for (const auto number : graph::elements<decltype(element)>(value)) {
      numbers.push_back(static_cast<double>(number));
    }
    return numbers;
  });
}

namespace {

std::string column_text(const NamedArray& array, std::size_t column) {
  const std::size_t number = array.numbers.empty() ? column + 1 : array.numbers.at(column);
  return array.columns.empty() ? fmt::format("column {}", number)
                               : fmt::format("column {} ('{}')", number, csv::shown(array.columns.at(column)));
}

}  // namespace

std::vector<std::string> column_names(const NamedArray& array) {
  constexpr std::size_t kMatrix = 2;
  std::vector<std::string> names;
  if (array.value.shape.size() > kMatrix) {
    return names;
  }
  const std::int64_t columns = array.value.shape.size() < kMatrix ? 1 : array.value.shape[1];
  for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i) {
    names.push_back(fmt::format("{}: {}", array.name,
                                array.first_line > 0 ? column_text(array, i) : fmt::format("element [{}]", i)));
  }
  return names;
}

std::string place_of(const NamedArray& array, std::size_t element) {
  const graph::Shape& shape = array.value.shape;
  const std::size_t of_row =
      rows_of(array.value) == 0 ? 1 : static_cast<std::size_t>(graph::count(shape)) / rows_of(array.value);
  const std::size_t row = element / of_row;
  std::size_t rest = element % of_row;
  if (array.first_line > 0) {
    return fmt::format("line {}, {}", static_cast<std::size_t>(array.first_line) + row, column_text(array, rest));
  }
  if (shape.size() < 2) {
    return fmt::format("row {}", row);
  }
  std::vector<std::size_t> index(shape.size() - 1);
  for (std::size_t axis = index.size(); axis-- > 0; rest /= static_cast<std::size_t>(shape[axis + 1])) {
    index[axis] = rest % static_cast<std::size_t>(shape[axis + 1]);
  }
  return fmt::format("row {}, element [{}]", row, fmt::join(index, ","));
}

void check_finite(const NamedArray& array) {
  if (is_whole(array.value.type)) {
    return;
  }
  const std::vector<double> numbers = numbers_of(array.value);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) {
      throw InvalidArgument(
          fmt::format("{}: {}: the value is {}; all must be finite: fill in what is missing, or leave "
                      "the row out",
                      array.name, place_of(array, i), numbers[i]));
    }
  }
}

graph::Value split_off(graph::Value& from, std::size_t first) {
  graph::Value rest = from;
  const std::size_t bytes = from.data.size() / rows_of(from) * first;
  rest.data.erase(rest.data.begin(), rest.data.begin() + static_cast<std::ptrdiff_t>(bytes));
  rest.shape[0] -= static_cast<std::int64_t>(first);
  from.data.resize(bytes);
  from.shape[0] = static_cast<std::int64_t>(first);
  return rest;
}

}  // namespace systole::training
