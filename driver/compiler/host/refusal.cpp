// SPDX-License-Identifier: Apache-2.0
// Asks the executor whether it computes an operator, by running it once on stand-ins for its inputs.
#include <variant>

#include "element_visit.hpp"
#include "kind_rules.hpp"
#include "quantized_types.hpp"
#include "systole/execute.hpp"

namespace systole::graph {
namespace {

Value filled(const Tensor& tensor, double number) {
  return with_element(tensor.type, [&](auto element) {
    using Element = decltype(element);
    const auto size = static_cast<std::size_t>(count(tensor.shape));
    return make_value(tensor.type, tensor.shape, std::vector<Element>(size, cut_off<Element>(number)));
  });
}

bool is_index(const Operator& op, std::size_t input) {
  const Elements elements = rule_at(rules_of(op.kind).operands, input).elements;
  return elements == Elements::kIndex || elements == Elements::kInt64;
}

/// A legal value for every operator: a divisor other than 0, a root of a number that is not negative, an index that
/// exists.
Value stand_in(const Operator& op, std::size_t input, const Tensor& tensor) {
  if (is_index(op, input)) {
    return filled(tensor, 0);
  }
  if (tensor.quantization && is_quantizable(tensor.type)) {
    const std::int64_t zero = tensor.quantization->zero_point[0], max = integer_range(tensor.type).max;
    const bool divides = input == 1 && std::holds_alternative<Binary>(op.kind);
    return filled(tensor, static_cast<double>(zero < max ? zero + 1 : divides ? zero - 1 : zero));
  }
  return filled(tensor, 1);
}

}  // namespace

std::string refusal_of(const Graph& graph, const Operator& op) {
  std::vector<Value> values(op.inputs.size());
  std::vector<const Value*> inputs;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const TensorId id = op.inputs[i];
    if (id == kNoTensor) {
      inputs.push_back(nullptr);
      continue;
    }
    const Tensor& tensor = graph.tensor(id);
    values[i] = tensor.constant ? constant_value(tensor) : stand_in(op, i, tensor);
    inputs.push_back(&values[i]);
  }
  try {
    execute_operator(graph, op, inputs);
  } catch (const GraphError& error) {
    return error.what();
  }
  return {};
}

}  // namespace systole::graph
