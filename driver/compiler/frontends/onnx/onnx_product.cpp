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

TensorId multiply(Translation& t, TensorId a, TensorId b, ElementType type,
                  const std::optional<Quantization>& quantization = {}) {
  const Product p = matrices(t, a, b);
  if (t.shape(p.b).size() == 2 && t.is_constant(p.b)) {
    return without_vectors(t, p, t.emit(Dense{}, {p.a, t.transpose(p.b, {1, 0})}, type, quantization));
  }
  return without_vectors(t, p, t.emit(MatMul{}, {p.a, p.b}, type, quantization));
}

int last_axis(const Tensor& tensor) { return tensor.shape.empty() ? 0 : static_cast<int>(tensor.shape.size()) - 1; }

}  // namespace

TensorId matrix_product(Translation& t, TensorId a, TensorId b) { return multiply(t, a, b, t.tensor(a).type); }

void matmul(Translation& t) { t.result(matrix_product(t, t.input(0), t.input(1))); }

void qlinear_matmul(Translation& t) {
  const TensorId a = t.with_quantization(t.input(0), one_scale(t, 1, 2, t.tensor(t.input(0)).type));
  const TensorId b =
      t.with_quantization(t.input(3), scales(t, 4, 5, t.tensor(t.input(3)), last_axis(t.tensor(t.input(3)))));
  const ElementType type = type_of_zero_point(t, 7);
  t.result(multiply(t, a, b, type, one_scale(t, 6, 7, type)));
}

namespace {

/// The elements as they are: a zero point of 0.
TensorId unshifted(Translation& t, TensorId id) {
  return t.tensor(id).constant ? t.with_quantization(id, Quantization{{1.0F}, {0}, 0}) : t.plain(id);
}

/// Operand i of a MatMulInteger. Its zero point is part of the tensor if it is constant; otherwise it is left to be
/// subtracted from the sums, an int32 tensor that broadcasts against them.
struct Operand {
  TensorId values = kNoTensor, zero_point = kNoTensor;
};

/// The rows of the first operand have zero points of their own.
Operand first_operand(Translation& t) {
  const bool one = !t.has_input(2) || count(t.shape(t.input(2))) == 1;
  if (one && is_constant_parameter(t, 2)) {
    return {t.with_quantization(t.input(0), zero_points(t, 2, t.tensor(t.input(0)), 0)), kNoTensor};
  }
  const TensorId point = t.convert(t.plain(t.input(2)), ElementType::kInt32);
  const Shape shape = t.shape(point);
  const TensorId per_row = shape.size() == 1 ? t.reshape(point, {shape[0], 1}) : point;
  return {unshifted(t, t.input(0)), one ? t.reshape(point, {}) : per_row};
}

/// The columns of the second one have.
Operand second_operand(Translation& t) {
  const TensorId b = t.input(1);
  if (is_constant_parameter(t, 3)) {
    return {t.with_quantization(b, zero_points(t, 3, t.tensor(b), last_axis(t.tensor(b)))), kNoTensor};
  }
  const TensorId point = t.convert(t.plain(t.input(3)), ElementType::kInt32);
  return {unshifted(t, b), count(t.shape(point)) == 1 ? t.reshape(point, {}) : point};
}

TensorId ones(Translation& t, const Shape& shape, ElementType type) {
  return unshifted(t, expand(t, t.numbers(type, {}, {1}), shape));
}

}  // namespace

/// Zero points that are computed are subtracted afterwards: the product of a - p and b - q is the product of a and b,
/// less p times the column sums of b, less q times the row sums of a - p.
void matmul_integer(Translation& t) {
  const Operand a = first_operand(t);
  const Operand b = second_operand(t);
  TensorId result = multiply(t, a.values, b.values, ElementType::kInt32);
  const std::int64_t depth = t.shape(a.values).empty() ? 1 : t.shape(a.values).back();
  const auto less = [&](TensorId from, TensorId sums, TensorId zero_point) {
    if (t.shape(from).size() < 2) {
      sums = t.reshape(sums, t.shape(from));
    }
    return t.binary(BinaryKind::kSubtract, from, t.binary(BinaryKind::kMultiply, sums, zero_point));
  };
  if (a.zero_point != kNoTensor) {
    const TensorId row = ones(t, {1, depth}, t.tensor(a.values).type);
    result = less(result, multiply(t, row, b.values, ElementType::kInt32), a.zero_point);
  }
  if (b.zero_point != kNoTensor) {
    if (t.shape(a.values).size() < 2 || t.shape(b.values).size() < 2) {
      t.refuse(OnnxRefusal::kMode, "a vector with a computed zero point of B is not supported; matrices are");
    }
    TensorId sums = multiply(t, a.values, ones(t, {depth, 1}, t.tensor(b.values).type), ElementType::kInt32);
    if (a.zero_point != kNoTensor) {
      sums = t.binary(BinaryKind::kSubtract, sums,
                      t.binary(BinaryKind::kMultiply, t.scalar(static_cast<double>(depth), sums), a.zero_point));
    }
    result = less(result, sums, b.zero_point);
  }
  t.result(result);
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
  TensorId c = t.has_input(2) ? scaled(t.input(2), beta) : kNoTensor;
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
  t.result(c == kNoTensor ? a : t.binary(BinaryKind::kAdd, a, c));
}

void determinant(Translation& t) { t.result(t.emit(Determinant{}, {t.input(0)}, t.tensor(t.input(0)).type)); }

}  // namespace systole::graph::onnx_file
