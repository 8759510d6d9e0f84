// SPDX-License-Identifier: Apache-2.0
// Element-wise operators in binary32, by their formulas.
#include "binary32.hpp"
#include "binary32_operands.hpp"
#include "element_functions.hpp"
#include "execute_binary32.hpp"

namespace systole::graph {
namespace {

namespace b32 = golden::binary32;
using golden::functions::F32;

using Combination = float (*)(float, float);
using Relation = bool (*)(float, float);

Combination power(int exponent) {
  switch (exponent) {
    case 2: return [](float a, float) { return b32::multiply(a, a); };
    case 3: return [](float a, float) { return b32::multiply(b32::multiply(a, a), a); };
    default: return nullptr;
  }
}

Relation relation(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kEqual: return b32::equal;
    case BinaryKind::kLess: return b32::less;
    case BinaryKind::kLessOrEqual: return b32::less_or_equal;
    default: return nullptr;
  }
}

}  // namespace

std::optional<Value> in_binary32(const Call& call, const Binary& op) {
  const bool near = call.op.arithmetic == Arithmetic::kBlocks;
  if (!(applies(call) || near) || op.activation != Activation::kNone) {
    return std::nullopt;
  }
  const Tensor& output = call.output_tensor();
  const auto formula = [=](float a, float b) {
    return near ? near_formula_of<F32>(op.kind, a, b) : formula_of<F32>(op.kind, a, b);
  };
  const Combination multiply = op.kind == BinaryKind::kPower ? power(whole_power(call.input_tensor(1))) : nullptr;
  const Relation holds = relation(op.kind);
  if (!formula(0, 0) && !multiply && !holds) {
    return std::nullopt;
  }
  const Operand lhs(call.input(0), output.shape), rhs(call.input(1), output.shape);
  Value result{output.type, output.shape,
               Bytes(static_cast<std::size_t>(count(output.shape)) * element_size(output.type))};
  const std::size_t number = result.data.size() / element_size(output.type);
  if (holds) {
    for_all(lhs.data(), rhs.data(), holds, result.data.data(), number);
  } else if (multiply) {
    for_all(lhs.data(), rhs.data(), multiply, reinterpret_cast<float*>(result.data.data()), number);
  } else {
    const auto combine = [=](float a, float b) { return formula(a, b)->value; };
    for_all(lhs.data(), rhs.data(), combine, reinterpret_cast<float*>(result.data.data()), number);
  }
  return result;
}

std::optional<Value> in_binary32(const Call& call, const Unary& op) {
  const bool near = call.op.arithmetic == Arithmetic::kBlocks;
  const auto formula = [=](float x) {
    return near ? near_formula_of<F32>(op.kind, x) : formula_of<F32>(op.kind, x, op.alpha, op.beta);
  };
  if (!(applies(call) || near) || !formula(0)) {
    return std::nullopt;
  }
  auto values = elements<float>(call.input(0));
  apply_to(values, [=](float x) { return formula(x)->value; });
  return make_value(call.output_tensor().type, call.output_tensor().shape, values);
}

}  // namespace systole::graph
