// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include <algorithm>
#include <cstdlib>

namespace systole::report {

Pair compare(const Layer& before, const Layer& after) {
  Pair pair{after.name, &before, &after, {}};
  for (int engine = 0; engine < kEngineCount; ++engine) {
    for (int cause = 0; cause < kCauseCount; ++cause) {
      const auto cycles = [&](const Layer& layer) {
        return static_cast<std::int64_t>(
            layer.causes[static_cast<std::size_t>(engine)][static_cast<std::size_t>(cause)]);
      };
      if (const std::int64_t change = cycles(after) - cycles(before); change != 0) {
        pair.changes.push_back({static_cast<isa::Engine>(engine), static_cast<isa::Cause>(cause), change});
      }
    }
  }
  std::stable_sort(pair.changes.begin(), pair.changes.end(),
                   [](const CauseChange& a, const CauseChange& b) { return std::abs(a.cycles) > std::abs(b.cycles); });
  return pair;
}

std::optional<Common> common(const std::vector<Pair>& pairs) {
  RunFile before, after;
  for (const Pair& pair : pairs) {
    if (pair.before != nullptr && pair.after != nullptr) {
      before.layers.push_back(*pair.before);
      after.layers.push_back(*pair.after);
    }
  }
  if (before.layers.empty()) {
    return std::nullopt;
  }
  return Common{total(before), total(after), before.layers.size() == pairs.size()};
}

std::vector<Pair> compare(const RunFile& before, const RunFile& after) {
  std::vector<const Layer*> left;
  for (const Layer& layer : before.layers) {
    left.push_back(&layer);
  }
  std::vector<Pair> pairs;
  for (const Layer& layer : after.layers) {
    const auto old = std::find_if(left.begin(), left.end(), [&](const Layer* l) { return l->name == layer.name; });
    if (old == left.end()) {
      pairs.push_back({layer.name, nullptr, &layer, {}});
    } else {
      pairs.push_back(compare(**old, layer));
      left.erase(old);
    }
  }
  for (const Layer* layer : left) {
    pairs.push_back({layer->name, layer, nullptr, {}});
  }
  return pairs;
}

}  // namespace systole::report
