// SPDX-License-Identifier: Apache-2.0
#include "llama2_builder.hpp"

#include <fmt/core.h>

#include <cstring>

namespace systole::llama2 {

using graph::Shape;
using graph::TensorId;

TensorId Builder::tensor(const std::string& name, Shape shape, Weights values) {
  graph_.tensors.push_back({name, graph::ElementType::kFloat32, std::move(shape), std::nullopt, std::move(values)});
  return static_cast<TensorId>(graph_.tensors.size()) - 1;
}

TensorId Builder::append(const char* origin, graph::OperatorKind kind, std::vector<TensorId> inputs, Shape shape) {
  const std::string name = fmt::format("{}{}_{}", prefix_, origin, graph_.operators.size());
  const TensorId result = tensor(name, std::move(shape));
  graph_.operators.push_back({name, origin, std::move(kind), graph::Arithmetic::kOnnx, std::move(inputs), {result}});
  return result;
}

TensorId Builder::input(const std::string& name, Shape shape) {
  const TensorId id = tensor(name, std::move(shape));
  graph_.inputs.push_back(id);
  return id;
}

TensorId Builder::constant(Shape shape, Weights values) {
  return tensor(fmt::format("{}constant_{}", prefix_, graph_.tensors.size()), std::move(shape), std::move(values));
}

TensorId Builder::number(float value) {
  graph::Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return constant({1}, std::make_shared<const graph::Bytes>(std::move(bytes)));
}

TensorId Builder::binary(graph::BinaryKind kind, TensorId lhs, TensorId rhs) {
  using graph::BinaryKind;
  const char* origin = kind == BinaryKind::kAdd        ? "Add"
                       : kind == BinaryKind::kSubtract ? "Sub"
                       : kind == BinaryKind::kMultiply ? "Mul"
                                                       : "Div";
  return append(origin, graph::Binary{kind}, {lhs, rhs}, shape(lhs));
}

TensorId Builder::unary(graph::UnaryKind kind, TensorId x) {
  return append(kind == graph::UnaryKind::kSqrt ? "Sqrt" : "Sigmoid", graph::Unary{kind}, {x}, shape(x));
}

TensorId Builder::softmax(TensorId x) { return append("Softmax", graph::Softmax{}, {x}, shape(x)); }

TensorId Builder::mean(TensorId x) {
  Shape kept = shape(x);
  kept.back() = 1;
  const int axis = static_cast<int>(kept.size()) - 1;
  return append("ReduceMean", graph::Reduce{graph::ReduceKind::kMean, {axis}, true}, {x}, std::move(kept));
}

TensorId Builder::dense(TensorId x, TensorId weights) {
  Shape result = shape(x);
  result.back() = shape(weights)[0];
  return append("Gemm", graph::Dense{}, {x, weights}, std::move(result));
}

TensorId Builder::product(TensorId a, TensorId b, bool transpose_b) {
  Shape result = shape(a);
  result.back() = transpose_b ? shape(b).end()[-2] : shape(b).back();
  return append("MatMul", graph::MatMul{false, transpose_b}, {a, b}, std::move(result));
}

TensorId Builder::reshape(TensorId x, Shape to) {
  return to == shape(x) ? x : append("Reshape", graph::Reshape{}, {x}, std::move(to));
}

TensorId Builder::transpose(TensorId x, const std::vector<int>& permutation) {
  Shape result;
  for (const int axis : permutation) {
    result.push_back(shape(x)[static_cast<std::size_t>(axis)]);
  }
  return append("Transpose", graph::Transpose{permutation}, {x}, std::move(result));
}

TensorId Builder::concat(TensorId first, TensorId second, int axis) {
  Shape result = shape(first);
  result[static_cast<std::size_t>(axis)] += shape(second)[static_cast<std::size_t>(axis)];
  return append("Concat", graph::Concat{axis}, {first, second}, std::move(result));
}

std::pair<TensorId, TensorId> Builder::halves(TensorId x) {
  Shape half = shape(x);
  half.back() /= 2;
  const int axis = static_cast<int>(half.size()) - 1;
  const TensorId first = append("Split", graph::Split{axis}, {x}, half);
  const TensorId second = tensor(graph_.operators.back().name + "_second", half);
  graph_.operators.back().outputs.push_back(second);
  return {first, second};
}

graph::Graph Builder::finish(std::vector<TensorId> outputs) {
  graph_.outputs = std::move(outputs);
  return std::move(graph_);
}

}  // namespace systole::llama2
