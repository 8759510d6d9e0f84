// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic, selection, and bitwise operators.
#include <fmt/core.h>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {

void comparison(Translation& t) {
  const std::string_view type = t.type();
  TensorId a = t.plain(t.input(0));
  TensorId b = along_operand(t, a, t.plain(t.input(1)));
  if (type == "Greater" || type == "GreaterOrEqual") {
    std::swap(a, b);
  }
  const BinaryKind kind = type == "Equal"                       ? BinaryKind::kEqual
                          : type == "Less" || type == "Greater" ? BinaryKind::kLess
                                                                : BinaryKind::kLessOrEqual;
  t.result(t.test(kind, a, b));
}

void logic(Translation& t) {
  const BinaryKind kind = t.type() == "And" ? BinaryKind::kAnd : t.type() == "Or" ? BinaryKind::kOr : BinaryKind::kXor;
  t.result(t.test(kind, t.input(0), along_operand(t, t.input(0), t.input(1))));
}

void test_operator(Translation& t) {
  if (t.type() == "Not") {
    t.result(t.emit(Unary{UnaryKind::kNot}, {t.input(0)}, ElementType::kBool));
  } else if (t.type() == "IsNaN") {
    t.result(t.emit(Unary{UnaryKind::kIsNan}, {t.input(0)}, ElementType::kBool));
  } else {
    const auto negative = static_cast<float>(t.integer("detect_negative", 1) != 0);
    const auto positive = static_cast<float>(t.integer("detect_positive", 1) != 0);
    t.result(t.emit(Unary{UnaryKind::kIsInfinite, negative, positive}, {t.input(0)}, ElementType::kBool));
  }
}

void where(Translation& t) { t.result(t.select(t.input(0), t.plain(t.input(1)), t.plain(t.input(2)))); }

void bit_shift(Translation& t) {
  const std::string direction = t.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    t.fail(fmt::format("direction '{}'; expected LEFT or RIGHT", direction));
  }
  t.result(t.binary(direction == "LEFT" ? BinaryKind::kShiftLeft : BinaryKind::kShiftRight, t.plain(t.input(0)),
                    t.plain(t.input(1))));
}

void modulo(Translation& t) {
  t.result(t.binary(t.integer("fmod", 0) != 0 ? BinaryKind::kRemainder : BinaryKind::kModulo, t.plain(t.input(0)),
                    t.plain(t.input(1))));
}

/// x + bias below -lambd, x - bias above lambd, else 0
void shrink(Translation& t) {
  const TensorId x = t.input(0);
  const TensorId bias = t.scalar(double{t.real("bias", 0.0F)}, x);
  const double lambda = double{t.real("lambd", 0.5F)};
  const TensorId above = t.select(t.test(BinaryKind::kLess, t.scalar(lambda, x), x),
                                  t.binary(BinaryKind::kSubtract, x, bias), t.scalar(0, x));
  t.result(t.select(t.test(BinaryKind::kLess, x, t.scalar(-lambda, x)), t.binary(BinaryKind::kAdd, x, bias), above));
}

void thresholded_relu(Translation& t) {
  const TensorId x = t.input(0);
  t.result(t.select(t.test(BinaryKind::kLess, t.scalar(double{t.real("alpha", 1.0F)}, x), x), x, t.scalar(0, x)));
}

}  // namespace systole::graph::onnx_file
