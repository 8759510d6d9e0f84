// SPDX-License-Identifier: Apache-2.0
#include "byte_ranges.hpp"

#include <algorithm>
#include <utility>

namespace systole::verifier {

ByteRanges sorted(ByteRanges ranges) {
  const auto before = [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), before)) {
    std::sort(ranges.begin(), ranges.end(), before);
  }
  return ranges;
}

ByteRanges united(ByteRanges ranges) {
  ranges = sorted(std::move(ranges));
  ByteRanges result;
  for (const ByteRange& range : ranges) {
    if (range.begin == range.end) {
      continue;
    }
    if (!result.empty() && range.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, range.end);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

std::optional<std::int64_t> first_outside(const ByteRanges& some, const ByteRanges& all) {
  auto around = all.begin();
  for (const ByteRange& range : some) {
    while (around != all.end() && around->end <= range.begin) {
      ++around;
    }
    if (around == all.end() || range.begin < around->begin) {
      return range.begin;
    }
    if (around->end < range.end) {
      return around->end;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> first_byte_outside(const ByteRange& range, const ByteRanges& all) {
  const auto around = std::upper_bound(all.begin(), all.end(), range.begin,
                                       [](std::int64_t byte, const ByteRange& other) { return byte < other.end; });
  if (range.begin == range.end || (around != all.end() && around->begin <= range.begin && range.end <= around->end)) {
    return std::nullopt;
  }
  return around == all.end() || range.begin < around->begin ? range.begin : around->end;
}

std::optional<std::int64_t> first_repeated(ByteRanges ranges) {
  ranges = sorted(std::move(ranges));
  std::int64_t end = 0;
  for (const ByteRange& range : ranges) {
    if (range.begin < end && range.begin != range.end) {
      return range.begin;
    }
    end = std::max(end, range.end);
  }
  return std::nullopt;
}

}  // namespace systole::verifier
