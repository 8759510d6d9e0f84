// SPDX-License-Identifier: Apache-2.0
// Two runs side by side, layer by layer.
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
  std::int64_t cycles = 0;  ///< new less old; not 0
};

/// A layer in two runs; null where a run has no layer of that name.
struct Pair {
  std::string name;
  const Layer* before = nullptr;
  const Layer* after = nullptr;
  std::vector<CauseChange> changes;  ///< largest first; empty unless both are there
  std::int64_t cycles() const {
    return static_cast<std::int64_t>(after->cycles) - static_cast<std::int64_t>(before->cycles);
  }
};

/// Pairs layers by name, several of one name in their order: first those of `after` in its order, then what it no
/// longer has. The runs must outlive the result.
std::vector<Pair> compare(const RunFile& before, const RunFile& after);

/// The layers that both runs have, added up.
struct Common {
  Layer before;
  Layer after;
  bool complete = false;  ///< neither run has others
};
/// Nothing when no layer is in both.
std::optional<Common> common(const std::vector<Pair>& pairs);

/// Two layers whatever their names; neither may be missing.
Pair compare(const Layer& before, const Layer& after);

}  // namespace systole::report
