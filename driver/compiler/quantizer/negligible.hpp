// SPDX-License-Identifier: Apache-2.0
// How far out values of a tensor are need not matter: behind additions, selections and moves stands a softmax, which
// gives zero for all that is far enough below the largest value of a row. Masks work like that: scores + mask, or
// where(allowed, scores, -10^9).
#pragma once

#include <limits>
#include <map>

#include "calibrate.hpp"

namespace systole::quantizer {

/// Values below the floor are as good as the floor itself, values above the ceiling as the ceiling.
struct Bounds {
  double floor = -std::numeric_limits<double>::infinity();
  double ceiling = std::numeric_limits<double>::infinity();
  /// Whether some of the values are out of bounds.
  bool cut(const Statistics& values) const {
    return values.minus_infinite() + values.plus_infinite() != 0 || values.min() < floor || values.max() > ceiling;
  }
  /// The range, with zero, of the values within bounds. Those that are infinite are out of bounds.
  Range within(const Statistics& values) const {
    const double least = values.minus_infinite() == 0 ? values.min() : std::min(values.min(), floor);
    const double most = values.plus_infinite() == 0 ? values.max() : std::max(values.max(), ceiling);
    return {std::min(0.0, std::max(least, floor)), std::max(0.0, std::min(most, ceiling))};
  }
  bool none() const {
    return floor == -std::numeric_limits<double>::infinity() && ceiling == std::numeric_limits<double>::infinity();
  }
};

/// What the tensor held, or holds as a constant.
Statistics values_of(const graph::Graph& graph, const Observations& observations, graph::TensorId id);

/// Softmax operands and their ranges: those that a softmax along the last dimension alone reads.
std::map<graph::TensorId, Range> softmax_ranges(const graph::Graph& graph, const Observations& observations);

/// Bounds of the tensors of float32 that have some, constants among them.
std::map<graph::TensorId, Bounds> negligible(const graph::Graph& graph, const Observations& observations,
                                             const std::map<graph::TensorId, Range>& softmax_ranges);

/// Additions and subtractions, by index, one of whose operands is a mask and nothing else, zero or out of bounds, and
/// what is masked has bounds as well: the tensor that is masked. Where the mask is zero the result has its values, and
/// so can have its quantization.
std::map<std::size_t, graph::TensorId> masked_operands(const graph::Graph& graph, const Observations& observations,
                                                       const std::map<graph::TensorId, Bounds>& bounds);

}  // namespace systole::quantizer
