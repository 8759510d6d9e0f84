// SPDX-License-Identifier: Apache-2.0
#include "graph_writer.hpp"

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

std::string GraphWriter::next_name(std::string_view what) { return fmt::format("{}/{}.{}", prefix_, what, count_++); }

TensorId GraphWriter::input(const std::string& name, ElementType type, const Shape& shape) {
  graph_.tensors.push_back({name, type, shape, {}, nullptr});
  const auto id = static_cast<TensorId>(graph_.tensors.size() - 1);
  graph_.inputs.push_back(id);
  return id;
}

TensorId GraphWriter::constant(const Value& value) {
  graph_.tensors.push_back(
      {next_name("constant"), value.type, value.shape, {}, std::make_shared<const Bytes>(value.data)});
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

TensorId GraphWriter::numbers(TensorId like, const Shape& shape, const std::vector<double>& values) {
  switch (type(like)) {
    case ElementType::kFloat32:
      return constant(make_value(type(like), shape, std::vector<float>(values.begin(), values.end())));
    case ElementType::kFloat64: return constant(make_value(type(like), shape, values));
    default:
      throw GraphError(fmt::format("tensor '{}' is {}; real numbers beside it need float32 or float64",
                                   tensor(like).name, name_of(type(like))));
  }
}

TensorId GraphWriter::zeros(TensorId like, const Shape& shape) {
  return numbers(like, shape, std::vector<double>(static_cast<std::size_t>(count(shape))));
}

TensorId GraphWriter::append(OperatorKind kind, std::vector<TensorId> inputs, ElementType type, const Shape& given) {
  std::vector<Shape> shapes;
  for (const TensorId id : inputs) {
    if (id != kNoTensor) {
      shapes.push_back(shape(id));
    }
  }
  const Shape result = output_shapes(kind, shapes, {given}).at(0);
  const std::string name = next_name(name_of(kind));
  graph_.tensors.push_back({name, type, result, {}, nullptr});
  const auto output = static_cast<TensorId>(graph_.tensors.size() - 1);
  const std::string origin = name_of(kind);
  graph_.operators.push_back({name, origin, std::move(kind), Arithmetic::kOnnx, std::move(inputs), {output}});
  return output;
}

TensorId GraphWriter::unary(UnaryKind kind, TensorId x, float alpha, float beta) {
  const bool tests = kind == UnaryKind::kIsNan || kind == UnaryKind::kIsInfinite;
  return append(Unary{kind, alpha, beta}, {x}, tests ? ElementType::kBool : type(x));
}

TensorId GraphWriter::binary(BinaryKind kind, TensorId a, TensorId b) {
  const bool compares = kind == BinaryKind::kEqual || kind == BinaryKind::kLess || kind == BinaryKind::kLessOrEqual;
  return append(Binary{kind}, {a, b}, compares ? ElementType::kBool : type(a));
}

TensorId GraphWriter::near(TensorId result) {
  if (type(result) == ElementType::kFloat32) {
    graph_.operators.back().arithmetic = Arithmetic::kBlocks;
  }
  return result;
}

TensorId GraphWriter::select(TensorId condition, TensorId a, TensorId b) {
  return append(Select{}, {condition, a, b}, type(a));
}

TensorId GraphWriter::reduce(ReduceKind kind, TensorId x, std::vector<int> axes, bool keep_dimensions) {
  return append(Reduce{kind, std::move(axes), keep_dimensions}, {x});
}

TensorId GraphWriter::reshape(TensorId x, const Shape& to) { return shape(x) == to ? x : append(Reshape{}, {x}, to); }

TensorId GraphWriter::transpose(TensorId x, std::vector<int> permutation) {
  return append(Transpose{std::move(permutation)}, {x});
}

TensorId GraphWriter::slice(TensorId x, std::vector<std::int64_t> begin, std::vector<std::int64_t> step,
                            const Shape& to) {
  return append(Slice{std::move(begin), std::move(step)}, {x}, to);
}

TensorId GraphWriter::pad(TensorId x, std::vector<std::int64_t> before, std::vector<std::int64_t> after, double value) {
  const std::vector<std::int64_t> none(before.size());
  if (before == none && after == none) {
    return x;
  }
  return append(Pad{std::move(before), std::move(after), Pad::Mode::kConstant, value}, {x});
}

TensorId GraphWriter::concat(const std::vector<TensorId>& parts, int axis) {
  return parts.size() == 1 ? parts[0] : append(Concat{axis}, parts);
}

TensorId GraphWriter::product(TensorId a, TensorId b, bool transpose_a, bool transpose_b) {
  return append(MatMul{transpose_a, transpose_b}, {a, b});
}

TensorId GraphWriter::broadcast(TensorId x, const Shape& to) {
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

TensorId GraphWriter::sum_to(TensorId x, const Shape& to) {
  std::vector<int> axes;
  const std::size_t missing = shape(x).size() - to.size();
  for (std::size_t axis = 0; axis < shape(x).size(); ++axis) {
    if (axis < missing || to[axis - missing] != shape(x)[axis]) {
      axes.push_back(static_cast<int>(axis));
    }
  }
  return reshape(axes.empty() ? x : reduce(ReduceKind::kSum, x, axes), to);
}

}  // namespace systole::graph
