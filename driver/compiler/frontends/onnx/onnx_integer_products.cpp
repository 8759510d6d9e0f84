// SPDX-License-Identifier: Apache-2.0
#include "onnx_integer_products.hpp"

#include <fmt/core.h>

#include "onnx_operators.hpp"
#include "onnx_parameters.hpp"

namespace systole::graph::onnx_file {
namespace {

/// The elements as they are: a zero point of 0.
TensorId unshifted(Translation& t, TensorId id) {
  return t.tensor(id).constant ? t.with_quantization(id, Quantization{{1.0F}, {0}, 0}) : t.plain(id);
}

TensorId as_summand(Translation& t, std::size_t i) {
  const TensorId point = cast(t, t.input(i), ElementType::kInt32);
  return count(t.shape(point)) == 1 ? t.reshape(point, {}) : point;
}

TensorId ones(Translation& t, const Shape& shape, ElementType type) {
  return unshifted(t, expand(t, t.numbers(type, {}, {1}), shape));
}

TensorId minus(Translation& t, TensorId from, TensorId sums, TensorId zero_point) {
  return t.binary(BinaryKind::kSubtract, from, t.binary(BinaryKind::kMultiply, sums, zero_point));
}

}  // namespace

IntegerOperand rows_operand(Translation& t, std::size_t values, std::size_t zero_point) {
  const bool one = !t.has_input(zero_point) || count(t.shape(t.input(zero_point))) == 1;
  if (one && is_constant_parameter(t, zero_point)) {
    const TensorId id = t.input(values);
    return {t.with_quantization(id, zero_points(t, zero_point, t.tensor(id), 0)), kNoTensor};
  }
  const TensorId point = as_summand(t, zero_point);
  const Shape shape = t.shape(point);
  return {unshifted(t, t.input(values)), shape.size() == 1 ? t.reshape(point, {shape[0], 1}) : point};
}

IntegerOperand columns_operand(Translation& t, std::size_t values, std::size_t zero_point) {
  const TensorId id = t.input(values);
  const Shape shape = t.has_input(zero_point) ? t.shape(t.input(zero_point)) : Shape{};
  // A tensor that is computed has one zero point.
  const bool of_tensor = count(shape) == 1 || (t.tensor(id).constant && shape.size() == 1);
  if (of_tensor && is_constant_parameter(t, zero_point)) {
    const int last = t.shape(id).empty() ? 0 : static_cast<int>(t.shape(id).size()) - 1;
    return {t.with_quantization(id, zero_points(t, zero_point, t.tensor(id), last)), kNoTensor};
  }
  return {unshifted(t, id), as_summand(t, zero_point)};
}

/// The product of a - p and b - q is the product of a and b, less p times the column sums of b, less q times the row
/// sums of a - p.
TensorId integer_product(Translation& t, IntegerOperand a, IntegerOperand b) {
  const Shape rows = t.shape(a.values);
  const Shape columns = t.shape(b.values);
  if (a.zero_point == kNoTensor && b.zero_point == kNoTensor) {
    return matrix_product(t, a.values, b.values, ElementType::kInt32);
  }
  if (rows.size() == 1) {
    a.values = t.reshape(a.values, {1, rows[0]});
  }
  if (columns.size() == 1) {
    b.values = t.reshape(b.values, {columns[0], 1});
  }
  const auto product = [&](TensorId left, TensorId right) {
    return matrix_product(t, left, right, ElementType::kInt32);
  };
  TensorId result = product(a.values, b.values);
  const std::int64_t depth = t.shape(a.values).back();
  if (a.zero_point != kNoTensor) {
    result = minus(t, result, product(ones(t, {1, depth}, t.tensor(a.values).type), b.values), a.zero_point);
  }
  if (b.zero_point != kNoTensor) {
    TensorId sums = product(a.values, ones(t, {depth, 1}, t.tensor(b.values).type));
    if (a.zero_point != kNoTensor) {
      sums = minus(t, sums, t.scalar(static_cast<double>(depth), sums), a.zero_point);
    }
    result = minus(t, result, sums, b.zero_point);
  }
  Shape shape = t.shape(result);
  if (columns.size() == 1) {
    shape.pop_back();
  }
  if (rows.size() == 1) {
    shape.erase(shape.end() - (columns.size() == 1 ? 1 : 2));
  }
  return t.reshape(result, shape);
}

IntegerOperand DynamicallyQuantized::operand(Translation& t) const {
  return {t.plain(values), cast(t, zero_point, ElementType::kInt32)};
}

void matmul_integer(Translation& t) { t.result(integer_product(t, rows_operand(t, 0, 2), columns_operand(t, 1, 3))); }

TensorId sums_as_real(Translation& t, TensorId sums, TensorId scale_a, TensorId scale_b, std::size_t bias) {
  const auto scale = [&](TensorId id) { return count(t.shape(id)) == 1 ? t.reshape(id, {}) : id; };
  const TensorId steps = t.binary(BinaryKind::kMultiply, scale(scale_a), scale(scale_b));
  const TensorId real = t.binary(BinaryKind::kMultiply, cast(t, sums, ElementType::kFloat32), steps);
  return t.has_input(bias) ? t.binary(BinaryKind::kAdd, real, t.input(bias)) : real;
}

void matmul_integer_to_float(Translation& t) {
  const TensorId sums = integer_product(t, rows_operand(t, 0, 4), columns_operand(t, 1, 5));
  t.result(sums_as_real(t, sums, t.input(2), t.input(3), 6));
}

void dynamic_quantize_matmul(Translation& t) {
  const DynamicallyQuantized a = dynamically_quantized(t, t.input(0));
  const TensorId sums = integer_product(t, a.operand(t), columns_operand(t, 1, 3));
  t.result(sums_as_real(t, sums, a.scale, t.input(2), 4));
}

namespace {

struct GemmOperands {
  TensorId a, b;
};

/// The operands with their quantizations, of which B has one scale for each column; B is transposed, as a dense layer
/// has its weights.
GemmOperands gemm_operands(Translation& t) {
  const bool transposed = t.integer("transB", 0) != 0;
  TensorId a = t.with_quantization(t.input(0), one_scale(t, 1, 2, t.tensor(t.input(0)).type));
  TensorId b = t.input(3);
  if (t.shape(a).size() != 2 || t.shape(b).size() != 2) {
    t.fail(fmt::format("operands have shapes {} and {}; expected two matrices", to_string(t.shape(a)),
                       to_string(t.shape(b))));
  }
  b = t.with_quantization(b, scales(t, 4, 5, t.tensor(b), transposed ? 0 : 1));
  a = t.integer("transA", 0) != 0 ? t.transpose(a, {1, 0}) : a;
  return {a, transposed ? b : t.transpose(b, {1, 0})};
}

}  // namespace

/// QGemm: alpha (A B + C), where C has steps of the scales of A times B. Without a scale the result is real.
void quantized_gemm(Translation& t) {
  const float alpha = t.real("alpha", 1.0F);
  GemmOperands operands = gemm_operands(t);
  std::vector<TensorId> inputs = {operands.a, operands.b};
  const bool has_bias = t.has_input(6);
  if (has_bias) {
    t.bind(t.input(6));
    inputs.push_back(t.input(6));
  }
  const bool is_dense = t.is_constant(operands.b) && (!has_bias || t.shape(inputs[2]) == Shape{t.shape(operands.b)[0]});
  if (is_dense && alpha > 0 && t.has_input(7)) {
    Quantization q = *t.tensor(operands.b).quantization;
    for (float& scale : q.scale) {
      scale *= alpha;
    }
    inputs[1] = t.with_quantization(operands.b, q);
    const ElementType type = type_of_zero_point(t, 8);
    t.result(t.emit(Dense{}, inputs, type, one_scale(t, 7, 8, type)));
    return;
  }
  const auto real = [&](TensorId id) { return t.convert(id, ElementType::kFloat32); };
  TensorId result = t.emit(MatMul{false, true}, {real(operands.a), real(operands.b)}, ElementType::kFloat32);
  if (has_bias) {
    const TensorId steps = t.binary(BinaryKind::kMultiply, t.input(1), t.input(4));
    result = t.binary(BinaryKind::kAdd, result,
                      t.binary(BinaryKind::kMultiply, cast(t, inputs[2], ElementType::kFloat32), steps));
  }
  if (alpha != 1) {
    result = t.binary(BinaryKind::kMultiply, result, t.scalar(double{alpha}, result));
  }
  if (t.has_input(7)) {
    const ElementType type = type_of_zero_point(t, 8);
    result = t.convert(result, type, one_scale(t, 7, 8, type));
  }
  t.result(result);
}

}  // namespace systole::graph::onnx_file
