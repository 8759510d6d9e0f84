// SPDX-License-Identifier: Apache-2.0
#include "ordered_sum.hpp"

#include <utility>

#include "systole/errors.hpp"

namespace systole::ranks {
namespace {

Bytes piece_of(const Bytes& vector, std::size_t piece, std::size_t length) {
  const auto first = vector.begin() + static_cast<std::ptrdiff_t>(piece * length);
  return {first, first + static_cast<std::ptrdiff_t>(length)};
}

}  // namespace

Bytes ordered_sum(Ranks& ranks, const std::vector<Bytes>& mine, std::size_t pieces, const Add& add) {
  const bool is_last = ranks.rank() + 1 == ranks.size();
  if (mine.empty()) {
    throw InternalError("an ordered sum to which a rank contributes nothing");
  }
  const std::size_t length = mine[0].size() / pieces;
  Bytes total;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    Bytes sum = ranks.is_first() ? Bytes() : ranks.receive(ranks.rank() - 1);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      Bytes summand = piece_of(mine[i], piece, length);
      sum = ranks.is_first() && i == 0 ? std::move(summand) : add(sum, summand);
    }
    if (is_last) {
      total.insert(total.end(), sum.begin(), sum.end());
    } else {
      ranks.send(ranks.rank() + 1, sum);
    }
  }
  return ranks.broadcast(ranks.size() - 1, std::move(total));
}

}  // namespace systole::ranks
