// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include <algorithm>

namespace systole::ranks {

double ordered_sum_cycles(const Link& link, int chips, double bytes, std::size_t pieces, const Additions& additions) {
  if (chips == 1) {
    return (additions.vectors - 1) * additions.cycles;
  }
  const auto cut = static_cast<double>(pieces);
  const double hop = link.hop(bytes / cut), one = additions.cycles / cut, all = additions.vectors * one;
  return all - one + (chips - 1) * (2 * hop + all) + (cut - 1) * std::max(all, hop);
}

std::size_t best_pieces(const Link& link, int chips, double bytes) {
  constexpr std::size_t kMost = 64;
  std::size_t best = 1;
  for (std::size_t pieces = 2; chips > 1 && pieces <= kMost; ++pieces) {
    if (ordered_sum_cycles(link, chips, bytes, pieces, {}) < ordered_sum_cycles(link, chips, bytes, best, {})) {
      best = pieces;
    }
  }
  return best;
}

double ring_sum_cycles(const Link& link, int chips, double bytes) {
  return chips > 1 ? 2 * (chips - 1) * link.hop(bytes / chips) : 0;
}

}  // namespace systole::ranks
