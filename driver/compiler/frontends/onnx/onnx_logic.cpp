// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic, selection, and bitwise operators.
#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "element_visit.hpp"
#include "function_names.hpp"
#include "onnx_operators.hpp"
#include "onnx_tensors.hpp"

namespace systole::graph::onnx_file {

void comparison(Translation& t) {
  const std::string_view type = t.type();
  TensorId a = t.plain(t.input(0));
  TensorId b = along_operand(t, a, t.plain(t.input(1)));
  if (type == "Greater" || type == "GreaterOrEqual") {
    std::swap(a, b);
  }
  t.result(t.test(binary_of_onnx(type).value(), a, b));
}

void logic(Translation& t) {
  t.result(t.test(binary_of_onnx(t.type()).value(), t.input(0), along_operand(t, t.input(0), t.input(1))));
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

void bitwise(Translation& t) {
  t.result(t.binary(binary_of_onnx(t.type()).value(), t.plain(t.input(0)), t.plain(t.input(1))));
}

/// In two's complement the inverted bits are -1 - x, without a sign the largest number - x.
void bitwise_not(Translation& t) {
  const TensorId x = t.plain(t.input(0));
  const double ones = with_element(t.tensor(x).type, [&](auto element) {
    using Element = decltype(element);
    if (kIsReal<Element>) {
      t.refuse(OnnxRefusal::kElementType,
               fmt::format("{} has no bits to invert; integers have", name_of(t.tensor(x).type)));
    }
    return std::is_signed_v<Element> ? -1.0 : static_cast<double>(std::numeric_limits<Element>::max());
  });
  t.result(t.binary(BinaryKind::kSubtract, t.scalar(ones, x), x));
}

/// The same bits as another type: integers of one size, whose conversion drops no bits.
void bit_cast(Translation& t) {
  const TensorId x = t.plain(t.input(0));
  const ElementType from = t.tensor(x).type;
  const ElementType to = element_type(static_cast<std::int32_t>(t.needed_integer("to")), t.title());
  const auto is_real = [](ElementType type) {
    return with_element(type, [](auto element) { return kIsReal<decltype(element)>; });
  };
  if (from != to &&
      (is_real(from) || is_real(to) || to == ElementType::kBool || element_size(from) != element_size(to))) {
    t.refuse(OnnxRefusal::kElementType,
             fmt::format("bits of {} as {}; integers of the same size are supported", name_of(from), name_of(to)));
  }
  t.result(cast(t, x, to));
}

void modulo(Translation& t) {
  t.result(t.binary(t.integer("fmod", 0) != 0 ? BinaryKind::kRemainder : BinaryKind::kModulo, t.plain(t.input(0)),
                    t.plain(t.input(1))));
}

/// x + bias below -lambd, x - bias above lambd, else 0; for integers truncated.
void shrink(Translation& t) {
  const TensorId given = t.plain(t.input(0));
  const ElementType type = t.tensor(given).type;
  const bool real = with_element(type, [](auto element) { return kIsReal<decltype(element)>; });
  const auto is_whole = [](float value) { return std::trunc(value) == value; };
  const double lambda = double{t.real("lambd", 0.5F)};
  const bool exact = real || (is_whole(t.real("bias", 0.0F)) && (lambda >= 0 || is_whole(t.real("lambd", 0.5F))));
  const TensorId x = exact ? given : cast(t, given, ElementType::kFloat64);
  const TensorId bias = t.scalar(double{t.real("bias", 0.0F)}, x);
  const TensorId above = t.select(t.test(BinaryKind::kLess, t.scalar(lambda, x), x),
                                  t.binary(BinaryKind::kSubtract, x, bias), t.scalar(0, x));
  const TensorId below = t.test(BinaryKind::kLess, x, t.scalar(-lambda, x));
  t.result(cast(t, t.select(below, t.binary(BinaryKind::kAdd, x, bias), above), type));
}

void thresholded_relu(Translation& t) {
  const TensorId x = t.input(0);
  t.result(t.select(t.test(BinaryKind::kLess, t.scalar(double{t.real("alpha", 1.0F)}, x), x), x, t.scalar(0, x)));
}

}  // namespace systole::graph::onnx_file
