// SPDX-License-Identifier: Apache-2.0
// Operators that generate constants: window functions, diagonals, mel filter weights.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "onnx_operators.hpp"
#include "onnx_tensors.hpp"

namespace systole::graph::onnx_file {
namespace {

ElementType type_of(const Translation& t, const char* attribute, ElementType otherwise) {
  return t.has(attribute) ? widened(element_type(static_cast<std::int32_t>(t.integer(attribute, 0)), t.title()))
                          : otherwise;
}

std::int64_t size_of(Translation& t, std::size_t i, const char* what, std::int64_t least) {
  constexpr std::int64_t kMost = 1 << 24;
  const std::vector<std::int64_t> values = t.integers_of(i, what);
  if (values.size() != 1 || values[0] < least || values[0] > kMost) {
    t.fail(fmt::format("{} is {} ({} values); expected one value, {} .. {}", what, values.empty() ? 0 : values[0],
                       values.size(), least, kMost));
  }
  return values[0];
}

}  // namespace

/// HannWindow, HammingWindow and BlackmanWindow: sums of cosines.
void window(Translation& t) {
  const std::int64_t size = size_of(t, 0, "the size", 1);
  const double period = static_cast<double>(t.integer("periodic", 1) != 0 ? size : size - 1);
  constexpr double kHamming = 25.0 / 46.0;
  const bool blackman = t.type() == "BlackmanWindow";
  const double constant = t.type() == "HannWindow" ? 0.5 : blackman ? 0.42 : kHamming;
  const double first = blackman ? 0.5 : 1 - constant;
  const double second = blackman ? 0.08 : 0.0;
  std::vector<double> values;
  for (std::int64_t i = 0; i < size; ++i) {
    const double angle = period == 0 ? 0 : 2 * std::numbers::pi * static_cast<double>(i) / period;
    values.push_back(constant - first * std::cos(angle) + second * std::cos(2 * angle));
  }
  t.result(t.numbers(type_of(t, "output_datatype", ElementType::kFloat32), {size}, values));
}

void eye_like(Translation& t) {
  const TensorId input = t.input(0);
  const Shape shape = t.shape(input);
  constexpr std::int64_t kMost = 1 << 24;
  if (shape.size() != 2 || count(shape) > kMost) {
    t.fail(fmt::format("input has shape {}; expected a matrix of at most {} elements", to_string(shape), kMost));
  }
  const std::int64_t diagonal = t.integer("k", 0);
  std::vector<double> values(static_cast<std::size_t>(count(shape)));
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    std::int64_t column = 0;
    if (!__builtin_add_overflow(row, diagonal, &column) && column >= 0 && column < shape[1]) {
      values[static_cast<std::size_t>(row * shape[1] + column)] = 1;
    }
  }
  t.result(t.numbers(type_of(t, "dtype", t.tensor(input).type), shape, values));
}

/// Triangular matrices: zero above or below a diagonal.
void triangle(Translation& t) {
  if (t.is_empty(0)) {
    t.empty_result(t.empty_input(0));
    return;
  }
  const TensorId input = t.plain(t.input(0));
  const Shape shape = t.shape(input);
  if (shape.size() < 2) {
    t.fail(fmt::format("input has shape {}; expected at least 2 dimensions", to_string(shape)));
  }
  const std::vector<std::int64_t> named =
      t.has_input(1) ? t.integers_of(1, "the diagonal") : std::vector<std::int64_t>{0};
  if (named.size() != 1) {
    t.fail(fmt::format("the diagonal has {} values; expected 1", named.size()));
  }
  constexpr std::int64_t kFar = std::int64_t{1} << 40;  // outside of any matrix
  const auto offset = static_cast<double>(std::clamp(named[0], -kFar, kFar));
  const TensorId row = t.count_along(ElementType::kInt64, 0, 2, shape.end()[-2]);
  const TensorId column = t.count_along(ElementType::kInt64, 1, 2, shape.back());
  const TensorId diagonal = t.binary(BinaryKind::kAdd, row, t.scalar(offset, row));
  const bool upper = t.integer("upper", 1) != 0;
  const TensorId kept =
      upper ? t.test(BinaryKind::kLessOrEqual, diagonal, column) : t.test(BinaryKind::kLessOrEqual, column, diagonal);
  t.result(t.select(kept, input, t.scalar(0, input)));
}

/// Triangular filters over the lines of a spectrum, corners equidistant on the mel scale.
void mel_weights(Translation& t) {
  const std::int64_t bins = size_of(t, 0, "the number of bins", 1);
  const std::int64_t length = size_of(t, 1, "the length of the transform", 1);
  const std::int64_t rate = size_of(t, 2, "the sample rate", 1);
  const double lower = t.real_of(3, "the lower edge");
  const double upper = t.real_of(4, "the upper edge");
  const std::int64_t lines = length / 2 + 1;
  constexpr std::int64_t kMost = 1 << 24;
  constexpr double kMostHertz = 1e9;
  if (bins > kMost / lines || !(lower >= 0) || !(upper >= lower) || upper > kMostHertz) {
    t.fail(fmt::format(
        "{} bins, {} spectral lines, edges {} and {} Hz; expected at most {} weights and 0 <= lower <= upper <= 10^9",
        bins, lines, lower, upper, kMost));
  }
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double step = (mel(upper) - mel(lower)) / static_cast<double>(bins + 2);
  std::vector<std::int64_t> corners;
  for (std::int64_t i = 0; i < bins + 2; ++i) {
    const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + mel(lower)) / 2595) - 1);
    corners.push_back(
        static_cast<std::int64_t>(std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate))));
  }
  std::vector<double> weights(static_cast<std::size_t>(lines * bins));
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    const auto* corner = corners.data() + bin;
    const auto at = [&](std::int64_t line) -> double* {
      return line < 0 || line >= lines ? nullptr : &weights[static_cast<std::size_t>(line * bins + bin)];
    };
    const std::int64_t rise = corner[1] - corner[0];
    for (std::int64_t line = corner[0]; rise != 0 && line <= corner[1] && line < lines; ++line) {
      if (double* weight = at(line)) {
        *weight = static_cast<double>(line - corner[0]) / static_cast<double>(rise);
      }
    }
    if (double* weight = rise == 0 ? at(corner[1]) : nullptr) {
      *weight = 1;
    }
    const std::int64_t fall = corner[2] - corner[1];
    for (std::int64_t line = corner[1]; fall != 0 && line < corner[2] && line < lines; ++line) {
      if (double* weight = at(line)) {
        *weight = static_cast<double>(corner[2] - line) / static_cast<double>(fall);
      }
    }
  }
  t.result(t.numbers(type_of(t, "output_datatype", ElementType::kFloat32), {lines, bins}, weights));
}

}  // namespace systole::graph::onnx_file
