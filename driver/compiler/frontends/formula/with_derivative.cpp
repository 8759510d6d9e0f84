// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <optional>

#include "systole/formula.hpp"

namespace systole {

Array with_derivative(const Array& value, const std::vector<Array>& operands,
                      const std::vector<std::optional<Array>>& slopes) {
  if (value.type() != graph::ElementType::kFloat32 && value.type() != graph::ElementType::kFloat64) {
    throw graph::GraphError(
        fmt::format("derivative: of a result of {}; only float32 and float64 have one", graph::name_of(value.type())));
  }
  if (slopes.size() != operands.size()) {
    throw graph::GraphError(fmt::format("derivative: has {} arrays for {} operands; it needs one for each, or none",
                                        slopes.size(), operands.size()));
  }
  // Linear in the operands, so that its gradient is the slopes; what they are computed from has no gradient.
  std::optional<Array> line;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (slopes[i]) {
      const Array slope = straight_through(*slopes[i], slopes[i]->number(0));
      line = line ? *line + operands[i] * slope : operands[i] * slope;
    }
  }
  const Array result = straight_through(value, line.value_or(value.number(0)));
  if (result.shape() != value.shape()) {
    throw graph::GraphError(fmt::format(
        "derivative: operands and slopes broadcast to {}, the result has {}; a derivative of one's own is that of a "
        "function element by element",
        graph::to_string(result.shape()), graph::to_string(value.shape())));
  }
  return result;
}

}  // namespace systole
