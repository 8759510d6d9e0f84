// SPDX-License-Identifier: Apache-2.0
// Work of all ranks that may fail on some.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "ranks.hpp"

namespace systole::ranks {

/// A failure that every rank knows of, so that one says it and all end in order.
class CommonFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Calls work() on every rank. If it throws a std::exception on any, all throw: a CommonFailure with the first rank's
/// text if there are several, the exception itself if there is one.
template <class Work>
void together(Ranks& ranks, const Work& work) {
  if (!ranks.several()) {
    work();
    return;
  }
  std::string error;
  try {
    work();
  } catch (const std::exception& failure) {
    error = std::string("!") + failure.what();  // never empty
  }
  const std::vector<Bytes> all = ranks.all_gather(Bytes(error.begin(), error.end()));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (!all[rank].empty()) {
      const std::string text(all[rank].begin() + 1, all[rank].end());
      throw CommonFailure(rank == 0 ? text : fmt::format("rank {}: {}", rank, text));
    }
  }
}

}  // namespace systole::ranks
