// SPDX-License-Identifier: Apache-2.0
#include "word_transposition.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace systole::network {
namespace {

constexpr std::int64_t kMostMatrices = 1024;  // some instructions each

/// An axis of the operand, or some that stay side by side.
struct Axis {
  std::int64_t size = 1, from = 4, to = 4;  ///< strides, in bytes
};

/// Those of the operand in their order, without ones of length 1.
std::vector<Axis> axes_of(const graph::Shape& shape, const std::vector<int>& permutation) {
  std::vector<Axis> axes(shape.size());
  std::int64_t from = 4, to = 4;
  for (std::size_t i = shape.size(); i-- > 0;) {
    axes[i].size = shape[i];
    axes[i].from = from;
    from *= shape[i];
    Axis& result = axes[static_cast<std::size_t>(permutation[i])];
    result.to = to;
    to *= shape[static_cast<std::size_t>(permutation[i])];
  }
  std::vector<Axis> merged;
  for (const Axis& axis : axes) {
    if (axis.size == 1) {
      continue;
    }
    if (!merged.empty() && merged.back().to == axis.size * axis.to) {
      merged.back() = {merged.back().size * axis.size, axis.from, axis.to};
    } else {
      merged.push_back(axis);
    }
  }
  return merged;
}

}  // namespace

std::optional<compiler::WordTransposition> word_transposition(const graph::Shape& shape,
                                                              const std::vector<int>& permutation) {
  const std::vector<Axis> axes = axes_of(shape, permutation);
  const auto rows = std::find_if(axes.begin(), axes.end(), [](const Axis& axis) { return axis.to == 4; });
  const auto behind = axes.end() - rows - 1;
  if (rows == axes.end() || behind < 1 || behind > 2) {
    return std::nullopt;
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const Axis& axis : axes) {
    if (axis.size == 0 || axis.size * std::max(axis.from, axis.to) > kMost) {
      return std::nullopt;
    }
  }
  compiler::WordTransposition words;
  words.matrices = {{}};
  std::int64_t matrices = 1;
  for (auto axis = axes.begin(); axis != rows; ++axis) {
    matrices *= axis->size;
    if (matrices > kMostMatrices) {
      return std::nullopt;
    }
    std::vector<compiler::WordTransposition::Place> places;
    for (const compiler::WordTransposition::Place& first : words.matrices) {
      for (std::int64_t i = 0; i < axis->size; ++i) {
        places.push_back({first.from + i * axis->from, first.to + i * axis->to});
      }
    }
    words.matrices = std::move(places);
  }
  const Axis &line = rows[1], &column = axes.back();
  words.rows = static_cast<int>(rows->size);
  words.from_row = rows->from;
  words.lines = behind == 1 ? 1 : static_cast<int>(line.size);
  words.to_line = line.to;
  words.columns = static_cast<int>(column.size);
  words.to_column = column.to;
  return words;
}

}  // namespace systole::network
