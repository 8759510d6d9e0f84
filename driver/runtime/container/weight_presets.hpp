// SPDX-License-Identifier: Apache-2.0
// Weights are in a file once, as constants of the graph. What a program has of them, tile by tile, follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "systole/graph.hpp"
#include "systole/program.hpp"
#include "weights.hpp"

namespace systole::container {

/// A column of tiles of an operator's weights.
struct ColumnOfWeights {
  std::size_t op = 0;
  bool packed = false;  ///< whether windows of all input channels are one reduction
  std::size_t column = 0;
};

/// Tiles weights of a valid graph, each column once, and all of them to a limited size.
class WeightTiling {
 public:
  /// For each constant of a program the weights that it consists of, if it does.
  using Found = std::vector<std::optional<ColumnOfWeights>>;

  WeightTiling(const graph::Graph& graph, int dim);

  /// What the programs' constants are, for another WeightTiling to take().
  std::vector<Found> find(const std::vector<const Program*>& programs);
  /// The bytes of a column. Throws ContainerError if there is none, or no more of it.
  std::vector<std::uint8_t> take(const ColumnOfWeights& of);

 private:
  static constexpr std::size_t kMostTiled = 8;  ///< times the bytes of constants
  /// Constant, whether it is packed, groups, column.
  using Key = std::tuple<const graph::Bytes*, bool, int, std::size_t>;

  const graph::Graph& graph_;
  int dim_;
  std::size_t left_;  ///< bytes that may yet be tiled
  std::set<Key> taken_;
};

}  // namespace systole::container
