// SPDX-License-Identifier: Apache-2.0
#include "graph_builder.hpp"

#include <fmt/core.h>

#include <memory>
#include <numeric>
#include <utility>

#include "infer.hpp"

namespace systole::graph {

std::vector<int> all_axes(std::size_t rank) {
  std::vector<int> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

TensorId add_tensor(Graph& graph, Tensor tensor) {
  graph.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph.tensors.size() - 1);
}

Tensor constant_tensor(std::string name, const Value& value, std::optional<Quantization> quantization) {
  return {std::move(name), value.type, value.shape, std::move(quantization), std::make_shared<const Bytes>(value.data)};
}

std::string GraphBuilder::next_name(std::string_view what) {
  return fmt::format("{}{}{}.{}", prefix_, prefix_.empty() ? "" : "/", what, count_++);
}

std::string GraphBuilder::result_name(const Operator& op, std::size_t number) {
  return number == 0 ? op.name : fmt::format("{}_{}", op.name, number);
}

TensorId GraphBuilder::input(const std::string& name, ElementType type, const Shape& shape) {
  graph_.inputs.push_back(add_tensor(graph_, {name, type, shape, {}, nullptr}));
  return graph_.inputs.back();
}

TensorId GraphBuilder::constant(const Value& value) {
  return add_tensor(graph_, constant_tensor(constant_name(), value));
}

TensorId GraphBuilder::constant(ElementType type, const Shape& shape, std::shared_ptr<const Bytes> elements) {
  return add_tensor(graph_, {constant_name(), type, shape, {}, std::move(elements)});
}

TensorId GraphBuilder::numbers(TensorId like, const Shape& shape, const std::vector<double>& values) {
  switch (type(like)) {
    case ElementType::kFloat32:
      return constant(make_value(type(like), shape, std::vector<float>(values.begin(), values.end())));
    case ElementType::kFloat64: return constant(make_value(type(like), shape, values));
    default:
      throw GraphError(fmt::format("tensor '{}' is {}; real numbers beside it need float32 or float64",
                                   tensor(like).name, name_of(type(like))));
  }
}

TensorId GraphBuilder::zeros(TensorId like, const Shape& shape) {
  return numbers(like, shape, std::vector<double>(static_cast<std::size_t>(count(shape))));
}

std::vector<TensorId> GraphBuilder::append_all(Operator op, std::vector<Tensor> results) {
  std::vector<Shape> shapes, given;
  for (const TensorId id : op.inputs) {
    if (id != kNoTensor) {
      shapes.push_back(shape(id));
    }
  }
  for (const Tensor& result : results) {
    given.push_back(result.shape);
  }
  shapes = output_shapes(op.kind, shapes, given);
  op.origin = op.origin.empty() ? name_of(op.kind) : op.origin;
  op.name = op.name.empty() ? operator_name(op.origin) : op.name;
  op.outputs.clear();
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].shape = shapes.at(i);
    results[i].name = results[i].name.empty() ? result_name(op, i) : results[i].name;
    op.outputs.push_back(add_tensor(graph_, std::move(results[i])));
  }
  graph_.operators.push_back(std::move(op));
  return graph_.operators.back().outputs;
}

TensorId GraphBuilder::append(OperatorKind kind, std::vector<TensorId> inputs, ElementType type, const Shape& given) {
  return append_all({{}, {}, std::move(kind), Arithmetic::kOnnx, std::move(inputs), {}},
                    {{{}, type, given, {}, nullptr}})
      .at(0);
}

TensorId GraphBuilder::unary(UnaryKind kind, TensorId x, float alpha, float beta) {
  const bool tests = kind == UnaryKind::kIsNan || kind == UnaryKind::kIsInfinite;
  return append(Unary{kind, alpha, beta}, {x}, tests ? ElementType::kBool : type(x));
}

TensorId GraphBuilder::binary(BinaryKind kind, TensorId a, TensorId b) {
  const bool compares = kind == BinaryKind::kEqual || kind == BinaryKind::kLess || kind == BinaryKind::kLessOrEqual;
  return append(Binary{kind}, {a, b}, compares ? ElementType::kBool : type(a));
}

TensorId GraphBuilder::near(TensorId result) {
  if (type(result) == ElementType::kFloat32) {
    graph_.operators.back().arithmetic = Arithmetic::kBlocks;
  }
  return result;
}

TensorId GraphBuilder::select(TensorId condition, TensorId a, TensorId b) {
  return append(Select{}, {condition, a, b}, type(a));
}

TensorId GraphBuilder::reduce(ReduceKind kind, TensorId x, std::vector<int> axes, bool keep_dimensions) {
  return append(Reduce{kind, std::move(axes), keep_dimensions}, {x});
}

TensorId GraphBuilder::reshape(TensorId x, const Shape& to) { return shape(x) == to ? x : append(Reshape{}, {x}, to); }

TensorId GraphBuilder::transpose(TensorId x, std::vector<int> permutation) {
  return append(Transpose{std::move(permutation)}, {x});
}

TensorId GraphBuilder::slice(TensorId x, std::vector<std::int64_t> begin, std::vector<std::int64_t> step,
                             const Shape& to) {
  return append(Slice{std::move(begin), std::move(step)}, {x}, to);
}

TensorId GraphBuilder::pad(TensorId x, std::vector<std::int64_t> before, std::vector<std::int64_t> after,
                           double value) {
  const std::vector<std::int64_t> none(before.size());
  if (before == none && after == none) {
    return x;
  }
  return append(Pad{std::move(before), std::move(after), Pad::Mode::kConstant, value}, {x});
}

TensorId GraphBuilder::concat(const std::vector<TensorId>& parts, int axis) {
  return parts.size() == 1 ? parts[0] : append(Concat{axis}, parts);
}

std::vector<TensorId> GraphBuilder::split(TensorId x, int axis, const std::vector<std::int64_t>& sizes) {
  std::vector<Tensor> parts;
  for (const std::int64_t size : sizes) {
    parts.push_back({{}, type(x), shape(x), {}, nullptr});
    parts.back().shape.at(static_cast<std::size_t>(axis)) = size;
  }
  return append_all({{}, {}, Split{axis}, Arithmetic::kOnnx, {x}, {}}, std::move(parts));
}

TensorId GraphBuilder::product(TensorId a, TensorId b, bool transpose_a, bool transpose_b) {
  return append(MatMul{transpose_a, transpose_b}, {a, b});
}

TensorId GraphBuilder::broadcast(TensorId x, const Shape& to) {
  if (shape(x) == to) {
    return x;
  }
  Shape ones = to;
  const std::size_t missing = to.size() - shape(x).size();
  for (std::size_t axis = missing; axis < to.size(); ++axis) {
    ones[axis] = shape(x)[axis - missing] == to[axis] ? 1 : to[axis];
  }
  return multiply(x, numbers(x, ones, std::vector<double>(static_cast<std::size_t>(count(ones)), 1.0)));
}

TensorId GraphBuilder::sum_to(TensorId x, const Shape& to) {
  std::vector<int> axes;
  const std::size_t missing = shape(x).size() - to.size();
  for (std::size_t axis = 0; axis < shape(x).size(); ++axis) {
    if (axis < missing || to[axis - missing] != shape(x)[axis]) {
      axes.push_back(static_cast<int>(axis));
    }
  }
  return reshape(axes.empty() ? x : reduce(ReduceKind::kSum, x, axes), to);
}

Graph GraphBuilder::finish(std::vector<TensorId> outputs) {
  graph_.outputs = std::move(outputs);
  validate(graph_);
  return std::exchange(graph_, {});
}

}  // namespace systole::graph
