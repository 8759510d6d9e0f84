// SPDX-License-Identifier: Apache-2.0
// Sets of addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace systole::verifier {

/// Half-open range of addresses in device memory.
struct ByteRange {
  std::int64_t begin = 0, end = 0;
};

/// Any order; they may overlap.
using ByteRanges = std::vector<ByteRange>;

/// By their first bytes.
ByteRanges sorted(ByteRanges ranges);

/// Ascending, without overlaps, and joined where one follows another.
ByteRanges united(ByteRanges ranges);

/// The first byte of `some` that is not in `all`. Both are united.
std::optional<std::int64_t> first_outside(const ByteRanges& some, const ByteRanges& all);
std::optional<std::int64_t> first_byte_outside(const ByteRange& range, const ByteRanges& all);

/// The first byte that is in several of the ranges.
std::optional<std::int64_t> first_repeated(ByteRanges ranges);

}  // namespace systole::verifier
