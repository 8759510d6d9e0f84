// SPDX-License-Identifier: Apache-2.0
// Independent work that is spread over ranks.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "packing.hpp"
#include "ranks.hpp"

namespace systole::ranks {

/// Computes share(i), bytes, for i = 0 .. count - 1, each on rank i % size, in ascending order there. Returns all
/// results on all ranks.
template <class Share>
std::vector<Bytes> spread(Ranks& ranks, std::size_t count, const Share& share) {
  const auto size = static_cast<std::size_t>(ranks.size());
  std::vector<Bytes> mine;
  for (auto i = static_cast<std::size_t>(ranks.rank()); i < count; i += size) {
    mine.push_back(share(i));
  }
  std::vector<std::vector<Bytes>> of_ranks;
  for (const Bytes& packed : ranks.all_gather(pack(mine))) {
    of_ranks.push_back(unpack(packed));
  }
  std::vector<Bytes> results;
  for (std::size_t i = 0; i < count; ++i) {
    results.push_back(std::move(of_ranks.at(i % size).at(i / size)));
  }
  return results;
}

}  // namespace systole::ranks
