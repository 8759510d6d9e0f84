// SPDX-License-Identifier: Apache-2.0
// Element-wise operators.
#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <utility>

#include "element_visit.hpp"
#include "function_names.hpp"
#include "onnx_operators.hpp"
#include "onnx_tensors.hpp"
#include "quantized_types.hpp"

namespace systole::graph::onnx_file {
namespace {

bool is_real(ElementType type) {
  return with_element(type, [](auto element) { return kIsReal<decltype(element)>; });
}

BinaryKind binary_kind(const Translation& t) { return binary_of_onnx(t.type()).value(); }

void refuse_bool(const Translation& t, TensorId id) {
  if (t.tensor(id).type == ElementType::kBool) {
    t.refuse(OnnxRefusal::kElementType, "BOOL operands are not supported; cast them to a number type");
  }
}

}  // namespace

TensorId cast(Translation& t, TensorId id, ElementType type) {
  id = t.plain(id);
  const ElementType from = t.tensor(id).type;
  if (from == type) {
    return id;
  }
  // Conversion between real numbers and small integers goes through int32: a direct one would need a scale.
  if ((is_real(from) && is_quantizable(type)) || (is_quantizable(from) && is_real(type))) {
    id = t.emit(Convert{}, {id}, ElementType::kInt32);
  }
  return t.emit(Convert{}, {id}, type);
}

TensorId along_operand(Translation& t, TensorId a, TensorId b) {
  if (t.integer("broadcast", 0) == 0 || !t.has("axis")) {
    return b;
  }
  Shape shape = t.shape(b);
  const std::size_t at = t.axis(t.integer("axis", 0), t.shape(a).size());
  shape.resize(std::max(shape.size(), t.shape(a).size() - at), 1);
  return t.reshape(b, shape);
}

void binary_operator(Translation& t) {
  const BinaryKind kind = binary_kind(t);
  const TensorId a = t.plain(t.input(0));
  refuse_bool(t, a);
  t.result(t.binary(kind, a, along_operand(t, a, t.plain(t.input(1)))));
}

void variadic(Translation& t) {
  TensorId all = t.plain(t.input(0));
  refuse_bool(t, all);
  for (std::size_t i = 1; i < t.input_count(); ++i) {
    all = t.binary(binary_kind(t), all, t.plain(t.input(i)));
  }
  if (t.type() == "Mean") {
    all = t.binary(BinaryKind::kDivide, all, t.scalar(static_cast<double>(t.input_count()), all));
  }
  t.result(all);
}

/// The result has the type of the base; if the types differ the power is computed on real numbers, unless the base is a
/// wider integer than the exponent.
void power(Translation& t) {
  const TensorId base = t.plain(t.input(0));
  TensorId exponent = along_operand(t, base, t.plain(t.input(1)));
  const ElementType type = t.tensor(base).type, own = t.tensor(exponent).type;
  if (!is_real(type) && !is_real(own) && own != ElementType::kBool && element_size(own) < element_size(type)) {
    exponent = cast(t, exponent, type);
  }
  if (t.tensor(exponent).type == type) {
    t.result(t.binary(BinaryKind::kPower, base, exponent));
    return;
  }
  const ElementType wide = ElementType::kFloat64;
  t.result(cast(t, t.binary(BinaryKind::kPower, cast(t, base, wide), cast(t, exponent, wide)), type));
}

void unary_operator(Translation& t) {
  const Unary function = unary_of_onnx(t.type()).value();
  const TensorId input = t.plain(t.input(0));
  refuse_bool(t, input);
  const float alpha = t.real("alpha", function.alpha), beta = t.real("beta", function.beta);
  if (!std::isfinite(alpha) || !std::isfinite(beta)) {
    t.fail(fmt::format("alpha is {} and beta is {}; both must be finite: export the model again", alpha, beta));
  }
  t.result(t.unary(function.kind, input, alpha, beta));
}

namespace {

/// The greatest finite number of a type of real numbers.
double greatest(ElementType type) {
  switch (type) {
    case ElementType::kFloat16: return 65504;
    case ElementType::kBfloat16: return 0x1.FEp127;
    case ElementType::kFloat32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

}  // namespace

/// A bound that is absent is the greatest finite number of the type, or its negative; as attributes the bounds are
/// float32.
void clip(Translation& t) {
  const TensorId input = t.plain(t.input(0));
  const ElementType type = t.tensor(input).type;
  const bool attributes = t.opset() < 11;
  const double limit = greatest(attributes ? ElementType::kFloat32 : t.stored_type(t.input(0)));
  const auto bound = [&](std::size_t i, const char* name, float otherwise) {
    return attributes       ? t.real(name, otherwise)
           : t.has_input(i) ? static_cast<float>(t.real_of(i, "a bound"))
                            : otherwise;
  };
  const bool constant =
      attributes || ((!t.has_input(1) || t.is_constant(t.input(1))) && (!t.has_input(2) || t.is_constant(t.input(2))));
  if (type == ElementType::kFloat32 && constant) {
    const auto most = static_cast<float>(limit);
    t.result(t.unary(UnaryKind::kClip, input, bound(1, "min", -most), bound(2, "max", most)));
    return;
  }
  TensorId result = input;
  const auto limited = [&](BinaryKind kind, std::size_t i, const char* name, double otherwise) {
    if (attributes ? t.has(name) : t.has_input(i)) {
      result = t.binary(kind, result, attributes ? t.scalar(double{t.real(name, 0)}, input) : t.plain(t.input(i)));
    } else if (is_real(type)) {
      result = t.binary(kind, result, t.scalar(otherwise, input));
    }
  };
  limited(BinaryKind::kMaximum, 1, "min", -limit);
  limited(BinaryKind::kMinimum, 2, "max", limit);
  t.result(result);
}

namespace {

/// To a 16-bit float this rounds, although the result is float32.
TensorId cast_as_declared(Translation& t, TensorId id, ElementType type) {
  return is_small_float(type) && t.stored_type(id) == type ? id : t.widen(cast(t, id, type));
}

}  // namespace

void cast_operator(Translation& t) {
  const ElementType type = element_type(static_cast<std::int32_t>(t.needed_integer("to")), t.title());
  t.result(cast_as_declared(t, t.input(0), type));
}
void cast_like(Translation& t) {
  const ElementType type = t.is_empty(1) ? t.empty_input(1).type : t.stored_type(t.input(1));
  t.result(cast_as_declared(t, t.input(0), type));
}

void identity(Translation& t) {
  if (t.is_empty(0)) {
    t.empty_result(t.empty_input(0));
  } else {
    t.result(t.input(0));
  }
}

namespace {

/// For a training: one operator.
void dropout_to_train(Translation& t) {
  if (t.wants_output(1)) {
    t.refuse(OnnxRefusal::kTraining,
             "has a mask that other operators read, but a training draws another one in each step; leave it out");
  }
  const double ratio = t.opset() < 12 ? double{t.real("ratio", 0.5F)} : t.has_input(1) ? t.real_of(1, "ratio") : 0.5;
  if (!(ratio >= 0 && ratio < 1)) {
    t.fail(fmt::format("has ratio {}; expected 0 or more and below 1", ratio));
  }
  const TensorId x = t.plain(t.input(0));
  t.result(ratio == 0 ? x : t.emit(Dropout{static_cast<float>(ratio)}, {x}, t.tensor(x).type));
}

}  // namespace

/// Outside of a training dropout does nothing, and its mask is all true.
void dropout(Translation& t) {
  if (t.trains()) {
    dropout_to_train(t);
    return;
  }
  const bool training = t.opset() >= 12 && t.has_input(2) && t.real_of(2, "training_mode") != 0;
  if (training) {
    const double ratio = t.has_input(1) ? t.real_of(1, "ratio") : 0.5;
    if (ratio != 0) {
      t.refuse(OnnxRefusal::kTraining, "is in training mode; export the model for inference");
    }
  }
  t.result(t.input(0));
  if (t.wants_output(1)) {
    const TensorId input = t.input(0);
    const ElementType type = t.opset() < 10 ? t.tensor(input).type : ElementType::kBool;
    t.result(expand(t, t.numbers(type, {}, {1}), t.shape(input)), 1);
  }
}

}  // namespace systole::graph::onnx_file
