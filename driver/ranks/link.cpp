// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include <algorithm>

namespace systole::ranks {

double ordered_sum_cycles(const Link& link, int chips, double bytes, std::size_t pieces, double additions) {
  const auto cut = static_cast<double>(pieces);
  const double hop = chips > 1 ? link.hop(bytes / cut) : 0, addition = additions / cut;
  const double hops = chips - 1;
  return chips * addition + 2 * hops * hop + (cut - 1) * std::max(addition, hop);
}

std::size_t best_pieces(const Link& link, int chips, double bytes) {
  constexpr std::size_t kMost = 64;
  std::size_t best = 1;
  for (std::size_t pieces = 2; chips > 1 && pieces <= kMost; ++pieces) {
    if (ordered_sum_cycles(link, chips, bytes, pieces, 0) < ordered_sum_cycles(link, chips, bytes, best, 0)) {
      best = pieces;
    }
  }
  return best;
}

double ring_sum_cycles(const Link& link, int chips, double bytes) {
  return chips > 1 ? 2 * (chips - 1) * link.hop(bytes / chips) : 0;
}

}  // namespace systole::ranks
