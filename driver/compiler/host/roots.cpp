// SPDX-License-Identifier: Apache-2.0
#include "roots.hpp"

#include <algorithm>
#include <vector>

#include "quantized_types.hpp"
#include "quantized_values.hpp"

namespace systole::graph {

bool is_root_of_input(const Graph& graph, const Operator& op) {
  const auto* unary = std::get_if<Unary>(&op.kind);
  return unary != nullptr && unary->kind == UnaryKind::kReciprocalSqrt && op.arithmetic == Arithmetic::kTfLite &&
         is_byte(graph.tensor(op.inputs[0]).type) &&
         std::count(graph.inputs.begin(), graph.inputs.end(), op.inputs[0]) != 0;
}

void check_roots(const Graph& graph, const std::function<const Value&(TensorId)>& value_of) {
  for (const Operator& op : graph.operators) {
    if (!is_root_of_input(graph, op)) {
      continue;
    }
    const Value& value = value_of(op.inputs[0]);
    const std::vector<std::int8_t> elements = as_int8(value);
    const std::int32_t zero_point = zero_point_of(graph.tensor(op.inputs[0]));
    if (std::any_of(elements.begin(), elements.end(), [&](std::int8_t element) { return element < zero_point; })) {
      execute_operator(graph, op, {&value});
    }
  }
}

}  // namespace systole::graph
