// SPDX-License-Identifier: Apache-2.0
// Compares two runs layer by layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run_file.hpp"

namespace systole::report {

/// Change of one engine's cycles of one cause.
struct CauseChange {
  isa::Engine engine = isa::Engine::kLoad;
  isa::Cause cause = isa::Cause::kWorking;
  std::int64_t cycles = 0;  ///< new minus old; not 0
};

/// A layer in two runs; null if a run has no layer of that name.
struct Pair {
  std::string name;
  const Layer* before = nullptr;
  const Layer* after = nullptr;
  std::vector<CauseChange> changes;  ///< largest first; empty unless both exist
  std::int64_t cycles() const {
    return static_cast<std::int64_t>(after->cycles) - static_cast<std::int64_t>(before->cycles);
  }
};

/// Pairs layers by name, repeated names in order: first the layers of `after`, then those that only `before` has. The
/// runs must outlive the result.
std::vector<Pair> compare(const RunFile& before, const RunFile& after);

/// Sums over the layers that both runs have.
struct Common {
  Layer before;
  Layer after;
  bool complete = false;  ///< neither run has other layers
};
/// Empty if no layer is in both.
std::optional<Common> common(const std::vector<Pair>& pairs);

/// Compares two layers regardless of their names; neither may be missing.
Pair compare(const Layer& before, const Layer& after);

}  // namespace systole::report
