// SPDX-License-Identifier: Apache-2.0
// Segments with some layers in the place of others, which may be faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "segment.hpp"

namespace systole::network {

/// Layers that do what some do now.
struct Replacement {
  std::vector<std::size_t> numbers;     ///< of those, in order: the last has the results, one of them is a product
  std::map<std::size_t, Layer> places;  ///< the others, in the places of some
};

struct Rewritten {
  Segment segment;
  std::vector<std::int64_t> cycles;  ///< of each layer when they run one after another, about
  std::int64_t times = 0;            ///< how often layers were replaced
};

/// A replacement that ends with layer number `index`.
using Find = std::function<std::optional<Replacement>(const Segment& segment, std::size_t index)>;
/// Cycles of a segment whose layers run one after another; nothing if it cannot be emitted.
using CyclesOf = std::function<std::optional<std::int64_t>(const Segment& segment)>;

/// Makes each replacement that is faster than what it replaces, by itself. `cycles` are those of the layers when they
/// run one after another. Nothing if there are none, or if what would go besides products takes less than the `part` of
/// all cycles for which it is worth to emit another program.
std::optional<Rewritten> rewrite(const Segment& segment, const std::vector<std::int64_t>& cycles, std::int64_t part,
                                 const Find& find, const CyclesOf& cycles_of);

/// The number of the layer that makes the tensor, if only one layer reads it, once, and nothing else needs it.
std::optional<std::size_t> sole_maker(const Segment& segment, graph::TensorId id);

}  // namespace systole::network
