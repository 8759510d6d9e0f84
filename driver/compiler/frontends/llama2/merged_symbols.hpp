// SPDX-License-Identifier: Apache-2.0
// Byte pair encoding: neighbours in a text become one, the best first.
#pragma once

#include <cstddef>
#include <optional>
#include <queue>
#include <string_view>
#include <utility>
#include <vector>

namespace systole::llama2 {

/// A part of a text.
struct Symbol {
  std::string_view text;
  bool whole = false;  ///< it is never part of a union
};

/// Unites neighbours, always the two whose union has the highest priority, of equal ones the first in the text, until
/// no union has a priority. The symbols are parts of one text, each beginning where the one before it ends.
/// `priority(left, right)` takes two texts and returns a std::optional<double>.
template <class Priority>
std::vector<Symbol> merged(std::vector<Symbol> symbols, Priority&& priority) {
  struct Union {
    double priority;
    std::size_t left, length;
    /// The best one comes out of the queue first.
    bool operator<(const Union& other) const {
      return priority != other.priority ? priority < other.priority : left > other.left;
    }
  };
  // Each symbol knows its neighbours, so that a union costs no more than the search for the next best one.
  const std::size_t end = symbols.size();
  std::vector<std::size_t> before(end + 1), after(end + 1);
  for (std::size_t i = 0; i < end; ++i) {
    before[i + 1] = i;
    after[i] = i + 1;
  }
  std::priority_queue<Union> unions;
  const auto offer = [&](std::size_t left) {
    const std::size_t right = after[left];
    if (right >= end || symbols[left].whole || symbols[right].whole) {
      return;
    }
    const std::string_view first = symbols[left].text, second = symbols[right].text;
    if (const std::optional<double> found = priority(first, second)) {
      unions.push({*found, left, first.size() + second.size()});
    }
  };
  for (std::size_t i = 0; i < end; ++i) {
    offer(i);
  }
  while (!unions.empty()) {
    const Union best = unions.top();
    unions.pop();
    std::string_view& left = symbols[best.left].text;
    const std::size_t right = after[best.left];
    if (left.empty() || right >= end || left.size() + symbols[right].text.size() != best.length) {
      continue;  // one of the two has become part of another union
    }
    left = {left.data(), best.length};
    symbols[right].text = {};
    after[best.left] = after[right];
    before[after[right]] = best.left;
    if (best.left > 0) {
      offer(before[best.left]);
    }
    offer(best.left);
  }
  std::vector<Symbol> left_over;
  for (std::size_t i = 0; i < end; i = after[i]) {
    left_over.push_back(symbols[i]);
  }
  return left_over;
}

}  // namespace systole::llama2
