// SPDX-License-Identifier: Apache-2.0
// Finds tensors whose extreme values do not matter: after additions, selections and moves they reach a softmax, which
// gives zero for everything far enough below the largest value of a row. Masks rely on this: scores + mask, or
// where(allowed, scores, -10^9).
#pragma once

#include <limits>
#include <map>

#include "calibrate.hpp"

namespace systole::quantizer {

/// Values below the floor are equivalent to the floor, values above the ceiling to the ceiling.
struct Bounds {
  double floor = -std::numeric_limits<double>::infinity();
  double ceiling = std::numeric_limits<double>::infinity();
  /// Whether some of the values are out of bounds.
  bool cut(const Statistics& values) const {
    return values.minus_infinite() + values.plus_infinite() != 0 || values.min() < floor || values.max() > ceiling;
  }
  /// The range, including zero, of the values within bounds. Infinite values are out of bounds.
  Range within(const Statistics& values) const {
    const double least = values.minus_infinite() == 0 ? values.min() : std::min(values.min(), floor);
    const double most = values.plus_infinite() == 0 ? values.max() : std::max(values.max(), ceiling);
    return {std::min(0.0, std::max(least, floor)), std::max(0.0, std::min(most, ceiling))};
  }
  bool none() const {
    return floor == -std::numeric_limits<double>::infinity() && ceiling == std::numeric_limits<double>::infinity();
  }
};

/// Observed values of the tensor, or those of a constant.
Statistics values_of(const graph::Graph& graph, const Observations& observations, graph::TensorId id);

/// Softmax operands and their ranges: tensors read only by softmax operators along the last dimension.
std::map<graph::TensorId, Range> softmax_ranges(const graph::Graph& graph, const Observations& observations);

/// Bounds of the float32 tensors that have some, including constants.
std::map<graph::TensorId, Bounds> negligible(const graph::Graph& graph, const Observations& observations,
                                             const std::map<graph::TensorId, Range>& softmax_ranges);

/// Additions and subtractions, by index, one of whose operands is a pure mask (zero or out of bounds) while the masked
/// operand has bounds as well; mapped to the masked operand. Where the mask is zero the result equals it, so both can
/// share a quantization.
std::map<std::size_t, graph::TensorId> masked_operands(const graph::Graph& graph, const Observations& observations,
                                                       const std::map<graph::TensorId, Bounds>& bounds);

}  // namespace systole::quantizer
