// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <fmt/core.h>

namespace systole::golden {
namespace {

struct Tally {
  std::size_t count = 0;
  std::size_t first = 0;
};

template <class Element>
Tally tally(const std::vector<Element>& expected, const std::vector<Element>& actual) {
  Tally result;
  for (std::size_t i = expected.size(); i-- > 0;) {
    if (expected[i] != actual[i]) {
      ++result.count;
      result.first = i;
    }
  }
  return result;
}

template <class Element>
std::string sentence(const Tally& found, const std::string& where, const std::vector<Element>& expected,
                     const std::vector<Element>& actual) {
  return fmt::format("{} of {} elements differ, first at {}: expected {}, got {}", found.count, expected.size(), where,
                     int{expected[found.first]}, int{actual[found.first]});
}

template <class Element>
std::optional<std::string> tensor_difference(const Tensor<Element>& expected, const Tensor<Element>& actual) {
  const NhwcShape& e = expected.shape;
  const NhwcShape& a = actual.shape;
  if (e != a || expected.data.size() != actual.data.size()) {
    return fmt::format("shapes differ: expected {}x{}x{}x{} ({} elements), got {}x{}x{}x{} ({} elements)", e.batch,
                       e.height, e.width, e.channels, expected.data.size(), a.batch, a.height, a.width, a.channels,
                       actual.data.size());
  }
  const Tally found = tally(expected.data, actual.data);
  if (found.count == 0) {
    return std::nullopt;
  }
  const auto channels = std::size_t(e.channels);
  const auto width = std::size_t(e.width);
  const auto height = std::size_t(e.height);
  const std::size_t pixel = found.first / channels;
  const std::string where = fmt::format("[n {}, y {}, x {}, c {}]", pixel / width / height, pixel / width % height,
                                        pixel % width, found.first % channels);
  return sentence(found, where, expected.data, actual.data);
}

template <class Element>
std::optional<std::string> matrix_difference(const Matrix<Element>& expected, const Matrix<Element>& actual) {
  if (expected.rows != actual.rows || expected.columns != actual.columns ||
      expected.data.size() != actual.data.size()) {
    return fmt::format("shapes differ: expected {}x{} ({} elements), got {}x{} ({} elements)", expected.rows,
                       expected.columns, expected.data.size(), actual.rows, actual.columns, actual.data.size());
  }
  const Tally found = tally(expected.data, actual.data);
  if (found.count == 0) {
    return std::nullopt;
  }
  const auto columns = std::size_t(expected.columns);
  const std::string where = fmt::format("[row {}, column {}]", found.first / columns, found.first % columns);
  return sentence(found, where, expected.data, actual.data);
}

}  // namespace

std::optional<std::string> difference(const Tensor8& expected, const Tensor8& actual) {
  return tensor_difference(expected, actual);
}
std::optional<std::string> difference(const Tensor32& expected, const Tensor32& actual) {
  return tensor_difference(expected, actual);
}
std::optional<std::string> difference(const Matrix8& expected, const Matrix8& actual) {
  return matrix_difference(expected, actual);
}
std::optional<std::string> difference(const Matrix32& expected, const Matrix32& actual) {
  return matrix_difference(expected, actual);
}

}  // namespace systole::golden
