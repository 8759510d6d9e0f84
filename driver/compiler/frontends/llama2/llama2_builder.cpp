// SPDX-License-Identifier: Apache-2.0
#include "llama2_builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

namespace systole::llama2 {

using graph::ElementType;
using graph::Shape;
using graph::TensorId;

std::string Builder::constant_name() { return fmt::format("{}constant_{}", prefix_, graph().tensors.size()); }

std::string Builder::operator_name(const std::string& origin) {
  return fmt::format("{}{}_{}", prefix_, origin, graph().operators.size());
}

TensorId Builder::append_as(const char* origin, graph::OperatorKind kind, std::vector<TensorId> inputs,
                            graph::Arithmetic arithmetic) {
  return append_all({{}, origin, std::move(kind), arithmetic, std::move(inputs), {}},
                    {{{}, ElementType::kFloat32, {}, {}, nullptr}})
      .at(0);
}

TensorId Builder::input(const std::string& name, const Shape& shape) {
  return GraphBuilder::input(name, ElementType::kFloat32, shape);
}

TensorId Builder::weights_input(const std::string& name, const Shape& shape) {
  const TensorId id = input(name, shape);
  graph().tensor(id).as_weights = true;
  return id;
}

TensorId Builder::constant(const Shape& shape, Weights values) {
  return GraphBuilder::constant(ElementType::kFloat32, shape, std::move(values));
}

TensorId Builder::numbers(const Shape& shape, const std::vector<float>& values) {
  return GraphBuilder::constant(make_value(ElementType::kFloat32, shape, values));
}

TensorId Builder::binary(graph::BinaryKind kind, TensorId lhs, TensorId rhs) {
  using graph::BinaryKind;
  const char* origin = kind == BinaryKind::kAdd        ? "Add"
                       : kind == BinaryKind::kSubtract ? "Sub"
                       : kind == BinaryKind::kMultiply ? "Mul"
                                                       : "Div";
  return append_as(origin, graph::Binary{kind}, {lhs, rhs}, graph::Arithmetic::kOnnx);
}

TensorId Builder::unary(graph::UnaryKind kind, TensorId x) {
  const char* origin = kind == graph::UnaryKind::kSqrt      ? "Sqrt"
                       : kind == graph::UnaryKind::kSigmoid ? "Sigmoid"
                                                            : "Rsqrt";
  return append_as(origin, graph::Unary{kind}, {x}, arithmetic_);
}

TensorId Builder::mean(TensorId x) {
  const int axis = static_cast<int>(shape(x).size()) - 1;
  return append_as("ReduceMean", graph::Reduce{graph::ReduceKind::kMean, {axis}, true}, {x}, arithmetic_);
}

namespace {

constexpr float kMostSteps = 127;
constexpr float kLeastMagnitude = 1e-30F;  // so that a row of zeros has a step
const graph::Quantization kSteps{{1.0F}, {0}, 0};

}  // namespace

Builder::Steps Builder::in_steps(TensorId x) {
  const int last = static_cast<int>(shape(x).size()) - 1;
  const TensorId most = reduce(graph::ReduceKind::kMax, GraphBuilder::unary(graph::UnaryKind::kAbs, x), {last});
  const TensorId size = GraphBuilder::multiply(
      GraphBuilder::binary(graph::BinaryKind::kMaximum, most, number(kLeastMagnitude)), number(1 / kMostSteps));
  const TensorId steps = GraphBuilder::multiply(x, near_quotient(number(1), size));
  const TensorId values = append(graph::Convert{}, {steps}, ElementType::kInt8);
  graph().tensor(values).quantization = kSteps;
  return {values, size};
}

TensorId Builder::int8_dense(TensorId x, const Shape& shape, const graph::Bytes& matrix) {
  const auto rows = static_cast<std::size_t>(shape[0]), columns = static_cast<std::size_t>(shape[1]);
  std::vector<float> row(columns), sizes(rows);
  graph::Bytes steps(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    std::memcpy(row.data(), matrix.data() + i * columns * sizeof(float), columns * sizeof(float));
    float most = kLeastMagnitude;
    for (const float number : row) {
      most = std::max(most, std::abs(number));
    }
    sizes[i] = most / kMostSteps;
    for (std::size_t j = 0; j < columns; ++j) {
      steps[i * columns + j] = static_cast<std::uint8_t>(static_cast<std::int8_t>(std::nearbyint(row[j] / sizes[i])));
    }
  }
  const TensorId weights =
      GraphBuilder::constant(ElementType::kInt8, shape, std::make_shared<const graph::Bytes>(std::move(steps)));
  graph().tensor(weights).quantization = kSteps;
  const TensorId sums = append(graph::Dense{}, {x, weights}, ElementType::kInt32);
  const TensorId real = append(graph::Convert{}, {sums}, ElementType::kFloat32);
  return GraphBuilder::multiply(real, numbers({shape[0]}, sizes));
}

TensorId Builder::pad_before(TensorId x, std::int64_t zeros) {
  graph::Pad pad{std::vector<std::int64_t>(shape(x).size()), std::vector<std::int64_t>(shape(x).size())};
  pad.before.back() = zeros;
  return append(std::move(pad), {x});
}

std::vector<TensorId> Builder::split(TensorId x, const std::vector<std::int64_t>& sizes) {
  return GraphBuilder::split(x, static_cast<int>(shape(x).size()) - 1, sizes);
}

std::pair<TensorId, TensorId> Builder::halves(TensorId x) {
  const std::int64_t half = shape(x).back() / 2;
  const std::vector<TensorId> parts = split(x, {half, half});
  return {parts[0], parts[1]};
}

TensorId Builder::gather(TensorId x, const std::vector<std::int32_t>& elements, const Shape& to) {
  const TensorId flat = reshape(x, {graph::count(shape(x))});
  const auto number = static_cast<std::int64_t>(elements.size());
  const TensorId indices = GraphBuilder::constant(make_value(ElementType::kInt32, {number}, elements));
  return reshape(append(graph::Gather{0}, {flat, indices}), to);
}

TensorId Builder::exchanged(TensorId x, std::int64_t part) {
  std::vector<std::int32_t> elements;
  for (std::int64_t i = 0; i < graph::count(shape(x)); ++i) {
    elements.push_back(static_cast<std::int32_t>(i / part % 2 == 0 ? i + part : i - part));
  }
  return gather(x, elements, shape(x));
}

}  // namespace systole::llama2
