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

std::string place_of(const NamedArray& array, std::size_t element) {
  const graph::Shape& shape = array.value.shape;
  const std::size_t of_row =
      rows_of(array.value) == 0 ? 1 : static_cast<std::size_t>(graph::count(shape)) / rows_of(array.value);
  const std::size_t row = element / of_row;
  std::size_t rest = element % of_row;
  if (array.first_line > 0) {
    const std::string line = fmt::format("line {}", static_cast<std::size_t>(array.first_line) + row);
    const std::size_t number = array.numbers.empty() ? rest + 1 : array.numbers.at(rest);
    return array.columns.empty()
               ? fmt::format("{}, column {}", line, number)
               : fmt::format("{}, column {} ('{}')", line, number, csv::shown(array.columns.at(rest)));
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
