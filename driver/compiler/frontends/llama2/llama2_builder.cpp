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

TensorId Builder::append(const char* origin, graph::OperatorKind kind, std::vector<TensorId> inputs, Shape shape,
                         graph::Arithmetic arithmetic) {
  const std::string name = fmt::format("{}{}_{}", prefix_, origin, graph_.operators.size());
  const TensorId result = tensor(name, std::move(shape));
  graph_.operators.push_back({name, origin, std::move(kind), arithmetic, std::move(inputs), {result}});
  return result;
}

TensorId Builder::input(const std::string& name, Shape shape) {
  const TensorId id = tensor(name, std::move(shape));
  graph_.inputs.push_back(id);
  return id;
}

TensorId Builder::weights_input(const std::string& name, Shape shape) {
  const TensorId id = input(name, std::move(shape));
  graph_.tensors[static_cast<std::size_t>(id)].as_weights = true;
  return id;
}

TensorId Builder::constant(Shape shape, Weights values) {
  return tensor(fmt::format("{}constant_{}", prefix_, graph_.tensors.size()), std::move(shape), std::move(values));
}

TensorId Builder::number(float value) { return numbers({1}, {value}); }

TensorId Builder::numbers(Shape shape, const std::vector<float>& values) {
  graph::Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return constant(std::move(shape), std::make_shared<const graph::Bytes>(std::move(bytes)));
}

TensorId Builder::binary(graph::BinaryKind kind, TensorId lhs, TensorId rhs, Shape to) {
  using graph::BinaryKind;
  const char* origin = kind == BinaryKind::kAdd        ? "Add"
                       : kind == BinaryKind::kSubtract ? "Sub"
                       : kind == BinaryKind::kMultiply ? "Mul"
                                                       : "Div";
  return append(origin, graph::Binary{kind}, {lhs, rhs}, to.empty() ? shape(lhs) : std::move(to));
}

TensorId Builder::unary(graph::UnaryKind kind, TensorId x) {
  const char* origin = kind == graph::UnaryKind::kSqrt      ? "Sqrt"
                       : kind == graph::UnaryKind::kSigmoid ? "Sigmoid"
                                                            : "Rsqrt";
  return append(origin, graph::Unary{kind}, {x}, shape(x), arithmetic_);
}

TensorId Builder::softmax(TensorId x) { return append("Softmax", graph::Softmax{}, {x}, shape(x), arithmetic_); }

TensorId Builder::mean(TensorId x) {
  Shape kept = shape(x);
  kept.back() = 1;
  const int axis = static_cast<int>(kept.size()) - 1;
  return append("ReduceMean", graph::Reduce{graph::ReduceKind::kMean, {axis}, true}, {x}, std::move(kept), arithmetic_);
}

TensorId Builder::dense(TensorId x, TensorId weights) {
  Shape result = shape(x);
  result.back() = shape(weights)[0];
  return append("Gemm", graph::Dense{}, {x, weights}, std::move(result), arithmetic_);
}

TensorId Builder::product(TensorId a, TensorId b, bool transpose_b) {
  Shape result = shape(a);
  result.back() = transpose_b ? shape(b).end()[-2] : shape(b).back();
  return append("MatMul", graph::MatMul{false, transpose_b}, {a, b}, std::move(result), arithmetic_);
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

TensorId Builder::pad_before(TensorId x, std::int64_t zeros) {
  Shape result = shape(x);
  result.back() += zeros;
  graph::Pad pad{std::vector<std::int64_t>(result.size(), 0), std::vector<std::int64_t>(result.size(), 0)};
  pad.before.back() = zeros;
  return append("Pad", pad, {x}, std::move(result));
}

std::pair<TensorId, TensorId> Builder::halves(TensorId x) {
  const std::int64_t half = shape(x).back() / 2;
  const std::vector<TensorId> parts = split(x, {half, half});
  return {parts[0], parts[1]};
}

std::vector<TensorId> Builder::split(TensorId x, const std::vector<std::int64_t>& sizes) {
  const int axis = static_cast<int>(shape(x).size()) - 1;
  Shape part = shape(x);
  part.back() = sizes[0];
  std::vector<TensorId> parts{append("Split", graph::Split{axis}, {x}, part)};
  const std::string name = graph_.operators.back().name;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    part.back() = sizes[i];
    parts.push_back(tensor(fmt::format("{}_{}", name, i), part));
    graph_.operators.back().outputs.push_back(parts.back());
  }
  return parts;
}

TensorId Builder::gather(TensorId x, const std::vector<std::int32_t>& elements, Shape to) {
  const TensorId flat = reshape(x, {graph::count(shape(x))});
  graph::Bytes bytes(elements.size() * sizeof(std::int32_t));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  const auto number = static_cast<std::int64_t>(elements.size());
  const TensorId indices = constant({number}, std::make_shared<const graph::Bytes>(std::move(bytes)));
  graph_.tensors.back().type = graph::ElementType::kInt32;
  return reshape(append("Gather", graph::Gather{0}, {flat, indices}, {number}), std::move(to));
}

TensorId Builder::exchanged(TensorId x, std::int64_t part) {
  std::vector<std::int32_t> elements;
  for (std::int64_t i = 0; i < graph::count(shape(x)); ++i) {
    elements.push_back(static_cast<std::int32_t>(i / part % 2 == 0 ? i + part : i - part));
  }
  return gather(x, elements, shape(x));
}

graph::Graph Builder::finish(std::vector<TensorId> outputs) {
  graph_.outputs = std::move(outputs);
  return std::move(graph_);
}

}  // namespace systole::llama2
