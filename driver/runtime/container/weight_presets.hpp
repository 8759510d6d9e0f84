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

/// For each constant of a program the weights that it consists of, if it does.
std::vector<std::optional<ColumnOfWeights>> weights_of(const graph::Graph& graph, const Program& program, int dim);

/// Tiles weights of a valid graph.
class WeightTiling {
 public:
  WeightTiling(const graph::Graph& graph, int dim) : graph_(graph), dim_(dim) {}

  /// The bytes of a column, which may be asked for once. Throws ContainerError if there is none.
  std::vector<std::uint8_t> take(const ColumnOfWeights& of);

 private:
  const graph::Graph& graph_;
  int dim_;
  std::set<std::tuple<std::size_t, bool, std::size_t>> taken_;
};

}  // namespace systole::container
