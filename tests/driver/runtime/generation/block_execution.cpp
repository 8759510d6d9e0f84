// SPDX-License-Identifier: Apache-2.0
#include "block_execution.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "block_products.hpp"
#include "systole/execute.hpp"

namespace systole::generation::test {
namespace {

using golden::Block;
using golden::Matrix;
using graph::Value;

/// A matrix of a tensor [..., rows, columns], in blocks along its columns, or along its rows if `transposed`.
Matrix<Block> blocks(const Value& value, std::int64_t which, bool transposed) {
  const auto rows = static_cast<int>(value.shape.end()[-2]), columns = static_cast<int>(value.shape.back());
  const auto all = graph::elements<float>(value);
  const auto first = all.begin() + which * rows * columns;
  golden::ConversionCounts counts;
  Matrix<float> matrix(rows, columns, {first, first + std::ptrdiff_t{rows} * columns});
  if (transposed) {
    Matrix<float> turned(columns, rows);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        turned.at(column, row) = matrix.at(row, column);
      }
    }
    matrix = std::move(turned);
  }
  return golden::to_blocks(matrix, counts);
}

/// a [..., M, K] by b [..., N, K], or [..., K, N] if `transpose_b`; one b for all a, or one for each.
Value product(const graph::Tensor& output, const Value& a, const Value& b, bool transpose_b) {
  const std::int64_t rows = a.shape.end()[-2], matrices = graph::count(a.shape) / rows / a.shape.back();
  const bool each = b.shape.size() > 2;
  std::vector<float> results;
  for (std::int64_t which = 0; which < matrices; ++which) {
    const auto right = blocks(b, each ? which : 0, transpose_b);
    Matrix<float> sums(static_cast<int>(rows), right.rows);
    golden::add_products(sums, blocks(a, which, false), right);
    results.insert(results.end(), sums.data.begin(), sums.data.end());
  }
  return graph::make_value(output.type, output.shape, results);
}

std::vector<Value> execute_in_blocks(const graph::Graph& graph, const graph::Operator& op,
                                     const std::vector<const Value*>& inputs) {
  const graph::Tensor& output = graph.tensor(op.outputs[0]);
  if (std::holds_alternative<graph::Dense>(op.kind)) {
    return {product(output, *inputs[0], *inputs[1], false)};
  }
  if (const auto* matmul = std::get_if<graph::MatMul>(&op.kind)) {
    return {product(output, *inputs[0], *inputs[1], !matmul->transpose_b)};
  }
  return execute_operator(graph, op, inputs);
}

}  // namespace

Run in_blocks(graph::Graph graph) {
  const auto shared = std::make_shared<const graph::Graph>(std::move(graph));
  return [shared](const std::vector<Value>& inputs) {
    std::map<graph::TensorId, Value> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      values.emplace(shared->inputs[i], inputs[i]);
    }
    for (const graph::Operator& op : shared->operators) {
      std::vector<const Value*> operands;
      for (const graph::TensorId id : op.inputs) {
        if (shared->tensor(id).constant) {
          values.try_emplace(id, graph::constant_value(shared->tensor(id)));
        }
        operands.push_back(&values.at(id));
      }
      std::vector<Value> results = execute_in_blocks(*shared, op, operands);
      for (std::size_t i = 0; i < results.size(); ++i) {
        values[op.outputs[i]] = std::move(results[i]);
      }
    }
    std::vector<Value> outputs;
    std::transform(shared->outputs.begin(), shared->outputs.end(), std::back_inserter(outputs),
                   [&](graph::TensorId id) { return values.at(id); });
    return outputs;
  };
}

}  // namespace systole::generation::test
