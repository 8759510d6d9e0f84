// SPDX-License-Identifier: Apache-2.0
// Matrix products. A constant matrix as right operand makes a dense layer.
#include <fmt/core.h>

#include <algorithm>

#include "onnx_operators.hpp"
#include "onnx_parameters.hpp"

namespace systole::graph::onnx_file {
namespace {

/// A product of operands with 2 or more dimensions; a 1-D operand was extended, and the result lacks that dimension.
struct Product {
  TensorId a, b;
  bool row, column;
};

Product matrices(Translation& t, TensorId a, TensorId b) {
  const Shape left = t.shape(a);
  const Shape right = t.shape(b);
  if (left.empty() || right.empty()) {
    t.fail("an operand is a scalar; expected vectors or matrices");
  }
  return {left.size() == 1 ? t.reshape(a, {1, left[0]}) : a, right.size() == 1 ? t.reshape(b, {right[0], 1}) : b,
          left.size() == 1, right.size() == 1};
}

TensorId without_vectors(Translation& t, const Product& p, TensorId id) {
  Shape shape = t.shape(id);
  if (p.column) {
    shape.pop_back();
  }
  if (p.row) {
    shape.erase(shape.end() - (p.column ? 1 : 2));
  }
  return t.reshape(id, shape);
}

int last_axis(const Tensor& tensor) { return tensor.shape.empty() ? 0 : static_cast<int>(tensor.shape.size()) - 1; }

}  // namespace

TensorId matrix_product(Translation& t, TensorId a, TensorId b, ElementType type,
                        const std::optional<Quantization>& quantization) {
  const Product p = matrices(t, a, b);
  if (t.shape(p.b).size() == 2 && t.is_constant(p.b)) {
    return without_vectors(t, p, t.emit(Dense{}, {p.a, t.transpose(p.b, {1, 0})}, type, quantization));
  }
  return without_vectors(t, p, t.emit(MatMul{}, {p.a, p.b}, type, quantization));
}

void matmul(Translation& t) { t.result(matrix_product(t, t.input(0), t.input(1), t.tensor(t.input(0)).type)); }

void qlinear_matmul(Translation& t) {
  const TensorId a = t.with_quantization(t.input(0), one_scale(t, 1, 2, t.tensor(t.input(0)).type));
  const TensorId b =
      t.with_quantization(t.input(3), scales(t, 4, 5, t.tensor(t.input(3)), last_axis(t.tensor(t.input(3)))));
  const ElementType type = type_of_zero_point(t, 7);
  t.result(matrix_product(t, a, b, type, one_scale(t, 6, 7, type)));
}

void gemm(Translation& t) {
  TensorId a = t.input(0);
  TensorId b = t.input(1);
  const float alpha = t.real("alpha", 1.0F);
  const float beta = t.real("beta", 1.0F);
  const bool transpose_b = t.integer("transB", 0) != 0;
  if (t.shape(a).size() != 2 || t.shape(b).size() != 2) {
    t.fail(fmt::format("operands have shapes {} and {}; expected two matrices", to_string(t.shape(a)),
                       to_string(t.shape(b))));
  }
  const ElementType type = t.tensor(a).type;
  const auto scaled = [&](TensorId id, float by) {
    return by == 1.0F ? id : t.binary(BinaryKind::kMultiply, id, t.scalar(double{by}, id));
  };
  const bool constant = t.is_constant(b);
  if (t.integer("transA", 0) != 0) {
    a = t.transpose(a, {1, 0});
  }
  // With a beta of 0 there is no C, be its elements infinite.
  TensorId c = t.has_input(2) && beta != 0 ? scaled(t.input(2), beta) : kNoTensor;
  if (constant) {
    b = scaled(transpose_b ? b : t.transpose(b, {1, 0}), alpha);
    std::vector<TensorId> inputs = {a, b};
    if (c != kNoTensor && t.shape(c) == Shape{t.shape(b)[0]}) {
      inputs.push_back(c);
      c = kNoTensor;
    }
    a = t.emit(Dense{}, inputs, type);
  } else {
    a = scaled(t.emit(MatMul{false, transpose_b}, {a, b}, type), alpha);
  }
  if (c == kNoTensor) {
    return t.result(a);
  }
  const TensorId sum = t.binary(BinaryKind::kAdd, a, c);
  if (t.shape(sum) != t.shape(a)) {
    t.fail(fmt::format("C has shape {}; expected one that broadcasts to {}, the shape of the product",
                       to_string(t.shape(c)), to_string(t.shape(a))));
  }
  t.result(sum);
}

}  // namespace systole::graph::onnx_file
