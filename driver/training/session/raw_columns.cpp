// SPDX-License-Identifier: Apache-2.0
#include "raw_columns.hpp"

#include <algorithm>
#include <utility>

#include "graph_builder.hpp"
#include "simplify.hpp"
#include "systole/execute.hpp"

namespace systole::training {
namespace {

using graph::TensorId;

double divisor(const Column& column) { return column.deviation == 0 ? 1 : column.deviation; }

/// The operators that read the tensor.
std::vector<graph::Operator*> readers_of(graph::Graph& graph, TensorId id) {
  std::vector<graph::Operator*> readers;
  for (graph::Operator& op : graph.operators) {
    if (std::find(op.inputs.begin(), op.inputs.end(), id) != op.inputs.end()) {
      readers.push_back(&op);
    }
  }
  return readers;
}

bool is_constant(const graph::Graph& graph, const graph::Operator& op, std::size_t operand) {
  return op.inputs.size() > operand && op.inputs[operand] != graph::kNoTensor &&
         graph.tensor(op.inputs[operand]).constant;
}

void fold(graph::Graph& graph, graph::Operator& dense, const std::vector<Column>& columns) {
  const graph::Tensor weights = graph.tensor(dense.inputs[1]), bias = graph.tensor(dense.inputs[2]);
  std::vector<float> w = graph::elements<float>(graph::constant_value(weights));
  std::vector<float> b = graph::elements<float>(graph::constant_value(bias));
  for (std::size_t output = 0; output < b.size(); ++output) {
    double sum = b[output];
    for (std::size_t input = 0; input < columns.size(); ++input) {
      float& weight = w[output * columns.size() + input];
      const double divided = double{weight} / divisor(columns[input]);
      sum -= divided * columns[input].mean;
      weight = static_cast<float>(divided);
    }
    b[output] = static_cast<float>(sum);
  }
  // Tensors of their own, since other operators may read the old ones.
  dense.inputs[1] = graph::add_tensor(
      graph, graph::constant_tensor(weights.name, make_value(graph::ElementType::kFloat32, weights.shape, w)));
  dense.inputs[2] = graph::add_tensor(
      graph, graph::constant_tensor(bias.name, make_value(graph::ElementType::kFloat32, bias.shape, b)));
}

/// Subtraction and product in front of the readers.
void prepend(graph::Graph& graph, TensorId input, const std::vector<Column>& columns) {
  std::vector<double> means, factors;
  for (const Column& column : columns) {
    means.push_back(column.mean);
    factors.push_back(1 / divisor(column));
  }
  const std::size_t before = graph.operators.size();
  graph::GraphBuilder w(graph, graph.tensor(input).name + ".standardized");
  const graph::Shape shape = {static_cast<std::int64_t>(columns.size())};
  const TensorId standard =
      w.multiply(w.subtract(input, w.numbers(input, shape, means)), w.numbers(input, shape, factors));
  for (std::size_t i = 0; i < before; ++i) {
    std::vector<TensorId>& inputs = graph.operators[i].inputs;
    std::replace(inputs.begin(), inputs.end(), input, standard);
  }
  std::rotate(graph.operators.begin(), graph.operators.begin() + static_cast<std::ptrdiff_t>(before),
              graph.operators.end());
}

}  // namespace

graph::Graph with_raw_columns(graph::Graph graph, const std::vector<std::vector<Column>>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].empty()) {
      continue;
    }
    const TensorId input = graph.inputs.at(i);
    const std::vector<graph::Operator*> readers = readers_of(graph, input);
    if (readers.size() == 1 && std::holds_alternative<graph::Dense>(readers[0]->kind) &&
        is_constant(graph, *readers[0], 1) && is_constant(graph, *readers[0], 2)) {
      fold(graph, *readers[0], columns[i]);
    } else {
      prepend(graph, input, columns[i]);
    }
  }
  remove_unused(graph);
  return graph;
}

}  // namespace systole::training
