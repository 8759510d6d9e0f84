// SPDX-License-Identifier: Apache-2.0
// Maps each byte of a large address range to the number last assigned to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

namespace systole::analysis {

class IntervalMap {
 public:
  struct Hit {
    std::uint64_t address;
    std::uint32_t number;
  };

  /// The first byte of [begin, end) whose number exceeds `limit`.
  std::optional<Hit> first_above(std::uint64_t begin, std::uint64_t end, std::uint32_t limit) const {
    for (auto it = first_touching(begin); it != intervals_.end() && it->first < end; ++it) {
      if (it->second.number > limit) {
        return Hit{std::max(begin, it->first), it->second.number};
      }
    }
    return std::nullopt;
  }

  void assign(std::uint64_t begin, std::uint64_t end, std::uint32_t number) {
    split(begin);
    split(end);
    intervals_.erase(intervals_.lower_bound(begin), intervals_.lower_bound(end));
    // Merges adjacent runs into one interval.
    const auto next = intervals_.lower_bound(begin);
    if (next != intervals_.begin()) {
      const auto previous = std::prev(next);
      if (previous->second.end == begin && previous->second.number == number) {
        previous->second.end = end;
        return;
      }
    }
    intervals_.emplace_hint(next, begin, Value{end, number});
  }

  void clear() { intervals_.clear(); }

 private:
  struct Value {
    std::uint64_t end;
    std::uint32_t number;
  };
  using Map = std::map<std::uint64_t, Value>;

  Map::const_iterator first_touching(std::uint64_t begin) const {
    auto it = intervals_.upper_bound(begin);
    if (it != intervals_.begin() && std::prev(it)->second.end > begin) {
      --it;
    }
    return it;
  }

  /// Splits the interval that contains `at`, so that one begins there.
  void split(std::uint64_t at) {
    const auto next = intervals_.lower_bound(at);
    if (next == intervals_.begin()) {
      return;
    }
    const auto it = std::prev(next);
    if (it->second.end > at) {
      intervals_.emplace_hint(next, at, Value{it->second.end, it->second.number});
      it->second.end = at;
    }
  }

  Map intervals_;
};

}  // namespace systole::analysis
