// SPDX-License-Identifier: Apache-2.0
#include "roots.hpp"

#include <algorithm>
#include <cstddef>

#include "quantized_types.hpp"
#include "quantized_values.hpp"

namespace systole::network {

bool is_root_of_input(const graph::Graph& graph, const graph::Operator& op) {
  const auto* unary = std::get_if<graph::Unary>(&op.kind);
  return unary != nullptr && unary->kind == graph::UnaryKind::kReciprocalSqrt &&
         op.arithmetic == graph::Arithmetic::kTfLite && graph::is_byte(graph.tensor(op.inputs[0]).type) &&
         std::count(graph.inputs.begin(), graph.inputs.end(), op.inputs[0]) != 0;
}

void check_roots(const graph::Graph& graph, const std::vector<graph::Value>& inputs) {
  for (const graph::Operator& op : graph.operators) {
    if (!is_root_of_input(graph, op)) {
      continue;
    }
    const auto found = std::find(graph.inputs.begin(), graph.inputs.end(), op.inputs[0]);
    const graph::Value& value = inputs.at(static_cast<std::size_t>(found - graph.inputs.begin()));
    const std::vector<std::int8_t> elements = graph::as_int8(value);
    const std::int32_t zero_point = graph::zero_point_of(graph.tensor(op.inputs[0]));
    if (std::any_of(elements.begin(), elements.end(), [&](std::int8_t element) { return element < zero_point; })) {
      graph::execute_operator(graph, op, {&value});
    }
  }
}

}  // namespace systole::network
