// SPDX-License-Identifier: Apache-2.0
#include "gather_taps.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "refused.hpp"

namespace systole::network {
namespace {

/// Rows or columns of the result, `to_step` apart, whose sources are `step` apart, or nothing.
struct Run {
  int to = 0, count = 0, to_step = 1, from = 0, step = 0;
};

/// Adds those that start with number `first`, `period` apart.
void add_runs(std::vector<Run>& runs, const Sources& sources, int first, int period) {
  const std::size_t before = runs.size();
  for (int to = first; to < static_cast<int>(sources.size()); to += period) {
    const int from = sources[static_cast<std::size_t>(to)];
    if (runs.size() > before && (runs.back().from == kNothing) == (from == kNothing)) {
      Run& last = runs.back();
      if (from == kNothing || last.count == 1 || from == last.from + last.count * last.step) {
        last.step = from == kNothing ? 0 : last.count == 1 ? from - last.from : last.step;
        ++last.count;
        continue;
      }
    }
    runs.push_back({to, 1, period, from, 0});
  }
}

/// As few runs as possible: an image that is enlarged n times reads equally spaced elements in every n-th position.
std::vector<Run> runs_of(const Sources& sources) {
  constexpr int kMostPeriod = 8;
  std::vector<Run> best;
  for (int period = 1; period <= kMostPeriod; ++period) {
    std::vector<Run> runs;
    for (int first = 0; first < period; ++first) {
      add_runs(runs, sources, first, period);
    }
    if (best.empty() || runs.size() < best.size()) {
      best = std::move(runs);
    }
  }
  return best;
}

}  // namespace

void TapMoves::add(int tap, const Sources& rows, const Sources& columns) {
  constexpr std::size_t kMostBoxes = 4096;  // two instructions each
  const std::int64_t position = result_.channels, item = position * taps_;
  const std::vector<Run> row_runs = runs_of(rows), column_runs = runs_of(columns);
  require(moves_.parts.size() + row_runs.size() * column_runs.size() * static_cast<std::size_t>(result_.batch) <=
              kMostBoxes,
          "windows that take more than 4096 moves");
  for (int batch = 0; batch < result_.batch; ++batch) {
    for (const Run& row : row_runs) {
      for (const Run& column : column_runs) {
        compiler::ByteBox box;
        box.outer = row.count;
        box.inner = column.count;
        box.bytes = position;
        box.to = ((std::int64_t{batch} * result_.height + row.to) * result_.width + column.to) * item + tap * position;
        box.to_outer = row.to_step * result_.width * item;
        box.to_inner = column.to_step * item;
        if (row.from == kNothing || column.from == kNothing) {
          box.fill = std::int8_t{0};
        } else {
          box.from = ((std::int64_t{batch} * from_.height + row.from) * from_.width + column.from) * position;
          box.from_outer = row.step * from_.width * position;
          box.from_inner = column.step * position;
        }
        moves_.parts.push_back({0, -1, box});
      }
    }
  }
}

Image TapMoves::image() const {
  const std::int64_t positions = result_.bytes() / result_.channels * taps_;
  require(positions * result_.channels <= std::numeric_limits<std::int32_t>::max(),
          "windows of more than 2^31 - 1 bytes");
  return {1, 1, static_cast<int>(positions), result_.channels, result_.element_bytes};
}

}  // namespace systole::network
