// SPDX-License-Identifier: Apache-2.0
#include "lookup_table.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "bytes.hpp"
#include "quantized_types.hpp"
#include "quantized_values.hpp"
#include "roots.hpp"
#include "systole/execute.hpp"

namespace systole::network {
namespace {

using graph::Graph;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;

/// 8-bit, with one quantization for all elements if it has any.
bool is_uniform_byte(const Tensor& tensor) {
  return (graph::is_byte(tensor.type) || tensor.type == graph::ElementType::kBool) &&
         !(tensor.quantization && tensor.quantization->per_channel());
}

/// Whether some inputs are an error, which a table cannot express.
bool has_errors(const Graph& graph, const Operator& op) {
  if (const auto* unary = std::get_if<graph::Unary>(&op.kind)) {  // the root of a negative number
    return unary->kind == graph::UnaryKind::kReciprocalSqrt && !is_root_of_input(graph, op) &&
           graph::zero_point_of(graph.tensor(op.inputs[0])) > -128;
  }
  const auto* binary = std::get_if<graph::Binary>(&op.kind);  // a division by zero
  return binary != nullptr && binary->kind == graph::BinaryKind::kDivide && !graph.tensor(op.inputs[1]).constant;
}

}  // namespace

bool is_bytewise(const Graph& graph, const Operator& op) {
  const bool one_input =
      std::holds_alternative<graph::Unary>(op.kind) || std::holds_alternative<graph::Convert>(op.kind);
  const auto* binary = std::get_if<graph::Binary>(&op.kind);
  const bool with_constant = binary != nullptr && [&] {
    const Tensor& a = graph.tensor(op.inputs[0]);
    const Tensor& b = graph.tensor(op.inputs[1]);
    const Tensor& fixed = a.constant ? a : b;
    return (a.constant != nullptr) != (b.constant != nullptr) && graph::count(fixed.shape) == 1;
  }();
  const Tensor& input = graph.tensor(computed_input(graph, op));
  return (one_input || with_constant) && !has_errors(graph, op) && !input.constant && is_uniform_byte(input) &&
         is_uniform_byte(graph.tensor(op.outputs[0]));
}

TensorId computed_input(const Graph& graph, const Operator& op) {
  const auto found =
      std::find_if(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return !graph.tensor(id).constant; });
  return found == op.inputs.end() ? op.inputs.front() : *found;
}

compiler::LookupTable table_of(const Graph& graph, const Operator& op) {
  // Runs the operator on a tensor that contains every byte once.
  Graph all;
  all.name = graph.name;
  Operator of_bytes = op;
  for (TensorId& id : of_bytes.inputs) {
    Tensor tensor = graph.tensor(id);
    tensor.shape = {tensor.constant ? 1 : 256};
    if (!tensor.constant) {
      all.inputs = {static_cast<TensorId>(all.tensors.size())};
    }
    id = static_cast<TensorId>(all.tensors.size());
    all.tensors.push_back(std::move(tensor));
  }
  Tensor result = graph.tensor(op.outputs[0]);
  result.shape = {256};
  of_bytes.outputs = all.outputs = {static_cast<TensorId>(all.tensors.size())};
  all.tensors.push_back(std::move(result));
  all.operators.push_back(std::move(of_bytes));

  std::vector<std::uint8_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  const Tensor& input = graph.tensor(computed_input(graph, op));
  if (is_root_of_input(graph, op)) {  // not of negative elements
    const auto zero = static_cast<std::uint8_t>(input.quantization->zero_point[0]);
    const auto negative = [&](std::uint8_t byte) {
      return static_cast<std::int8_t>(byte ^ toggle_of(input.type)) <
             static_cast<std::int8_t>(zero ^ toggle_of(input.type));
    };
    std::replace_if(bytes.begin(), bytes.end(), negative, zero);
  }
  const graph::Value values = graph::execute(all, {graph::make_value(input.type, {256}, bytes)}).front();
  compiler::LookupTable table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = static_cast<std::int8_t>(values.data[byte ^ toggle_of(input.type)] ^ toggle_of(values.type));
  }
  return table;
}

}  // namespace systole::network
