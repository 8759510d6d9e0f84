// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <random>
#include <variant>
#include <vector>

#include "systole/zoo.hpp"

namespace systole::zoo {
namespace {

constexpr std::int64_t kEdge = 16;  // DIM of the default configuration

/// Half of the tiles of weights OHWI, chosen at random, become zeros.
void prune(graph::Bytes& weights, const graph::Shape& shape, std::mt19937_64& random) {
  const std::int64_t outputs = shape.front(), inputs = shape.back(), taps = graph::count(shape) / outputs / inputs;
  const std::int64_t columns = (inputs + kEdge - 1) / kEdge, rows = (outputs + kEdge - 1) / kEdge;
  std::vector<std::int64_t> tiles(static_cast<std::size_t>(rows * taps * columns));
  std::iota(tiles.begin(), tiles.end(), 0);
  std::shuffle(tiles.begin(), tiles.end(), random);
  tiles.resize(tiles.size() / 2);
  for (const std::int64_t tile : tiles) {
    const std::int64_t column = tile % columns * kEdge, tap = tile / columns % taps,
                       row = tile / columns / taps * kEdge;
    for (std::int64_t output = row; output < std::min(row + kEdge, outputs); ++output) {
      const auto line = weights.begin() + (output * taps + tap) * inputs;
      std::fill(line + column, line + std::min(column + kEdge, inputs), 0);
    }
  }
}

}  // namespace

graph::Graph resnet50_pruned(std::uint64_t seed) {
  graph::Graph network = resnet50(seed);
  network.name = "resnet50_pruned";
  std::mt19937_64 random(seed);
  for (const graph::Operator& op : network.operators) {
    if (!std::holds_alternative<graph::Conv2d>(op.kind) && !std::holds_alternative<graph::Dense>(op.kind)) {
      continue;
    }
    graph::Tensor& weights = network.tensor(op.inputs.at(1));
    if (weights.shape.back() >= kEdge) {
      graph::Bytes bytes = *weights.constant;
      prune(bytes, weights.shape, random);
      weights.constant = std::make_shared<const graph::Bytes>(std::move(bytes));
    }
  }
  return network;
}

}  // namespace systole::zoo
