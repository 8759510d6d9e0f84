// SPDX-License-Identifier: Apache-2.0
#include "rewritten.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace systole::network {
namespace {

using graph::TensorId;

bool contains(const std::vector<TensorId>& ids, TensorId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// A segment of these layers alone.
Segment alone(const Segment& segment, const std::vector<Layer>& layers) {
  Segment result;
  result.layers = layers;
  result.memory = segment.memory;
  result.keeps_on_chip = segment.keeps_on_chip;
  std::vector<TensorId> made;
  for (const Layer& layer : layers) {
    std::copy_if(layer.inputs.begin(), layer.inputs.end(), std::back_inserter(result.inputs),
                 [&](TensorId id) { return !contains(made, id); });
    made.push_back(layer.output);
  }
  result.outputs = {layers.back().output};
  if (layers.back().words_output != graph::kNoTensor) {
    result.outputs.push_back(layers.back().words_output);
  }
  return result;
}

/// How often layers read the tensor; more than once if it is a result of the segment.
std::ptrdiff_t needs(const Segment& segment, TensorId id) {
  std::ptrdiff_t reads = contains(segment.outputs, id) ? 2 : 0;
  for (const Layer& layer : segment.layers) {
    reads += std::count(layer.inputs.begin(), layer.inputs.end(), id);
  }
  return reads;
}

/// Whether layers that would go, besides products, take enough cycles.
bool is_worth(const Segment& segment, const std::vector<std::int64_t>& cycles, std::int64_t part, const Find& find) {
  std::int64_t of_those = 0;
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    if (const std::optional<Replacement> found = find(segment, i)) {
      for (const std::size_t number : found->numbers) {
        of_those += is_product(segment.layers[number]) ? 0 : cycles[number];
      }
    }
  }
  return part * of_those > std::accumulate(cycles.begin(), cycles.end(), std::int64_t{0});
}

/// As far as can be said without the layers around; 0 if the others cannot run.
std::int64_t cycles_saved(const Segment& segment, const Replacement& by, const CyclesOf& cycles_of) {
  std::vector<Layer> before, after;
  for (const std::size_t number : by.numbers) {
    before.push_back(segment.layers[number]);
  }
  for (const auto& [number, layer] : by.places) {
    after.push_back(layer);
  }
  const std::optional<std::int64_t> now = cycles_of(alone(segment, after));
  const std::optional<std::int64_t> then = now ? cycles_of(alone(segment, before)) : std::nullopt;
  return now && then ? *then - *now : 0;
}

void replace(Rewritten& rewritten, const Replacement& by, std::int64_t saved) {
  std::vector<Layer>& layers = rewritten.segment.layers;
  std::vector<std::int64_t>& cycles = rewritten.cycles;
  std::int64_t all = -saved;
  for (const std::size_t number : by.numbers) {
    all += cycles[number];
  }
  // The product takes what all of them took, less what is saved and what layers before it still take.
  for (const auto& [number, layer] : by.places) {
    all -= is_product(layer) ? 0 : cycles[number];
  }
  for (const auto& [number, layer] : by.places) {
    cycles[number] = is_product(layer) ? std::max<std::int64_t>(all, 0) : cycles[number];
    layers[number] = layer;
  }
  for (auto number = by.numbers.rbegin(); number != by.numbers.rend(); ++number) {
    if (by.places.count(*number) == 0) {
      layers.erase(layers.begin() + static_cast<std::ptrdiff_t>(*number));
      cycles.erase(cycles.begin() + static_cast<std::ptrdiff_t>(*number));
    }
  }
  ++rewritten.times;
}

}  // namespace

std::optional<Rewritten> rewrite(const Segment& segment, const std::vector<std::int64_t>& cycles, std::int64_t part,
                                 const Find& find, const CyclesOf& cycles_of) {
  if (!is_worth(segment, cycles, part, find)) {
    return std::nullopt;
  }
  Rewritten result{segment, cycles};
  for (std::size_t i = 0; i < result.segment.layers.size(); ++i) {
    const std::optional<Replacement> found = find(result.segment, i);
    const std::int64_t saved = found ? cycles_saved(result.segment, *found, cycles_of) : 0;
    if (saved > 0) {
      replace(result, *found, saved);
      i -= found->numbers.size() - found->places.size();
    }
  }
  return result.times == 0 ? std::nullopt : std::optional(std::move(result));
}

std::optional<std::size_t> sole_maker(const Segment& segment, TensorId id) {
  const auto found = std::find_if(segment.layers.begin(), segment.layers.end(),
                                  [&](const Layer& layer) { return layer.output == id; });
  return found != segment.layers.end() && needs(segment, id) == 1
             ? std::optional(static_cast<std::size_t>(found - segment.layers.begin()))
             : std::nullopt;
}

}  // namespace systole::network
