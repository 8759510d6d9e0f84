// SPDX-License-Identifier: Apache-2.0
// Functions without an operator kind of their own, composed of existing operators.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "element_visit.hpp"
#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {

namespace {

/// Whether no product of a slope and 0 is a NaN.
bool has_finite_values(const Translation& t, TensorId id) {
  if (!t.tensor(id).constant) {
    return false;
  }
  const Value slopes = constant_value(t.tensor(id));
  return with_element(slopes.type, [&](auto element) {
    const auto typed = elements<decltype(element)>(slopes);
    return std::all_of(typed.begin(), typed.end(),
                       [](auto slope) { return std::isfinite(static_cast<double>(slope)); });
  });
}

}  // namespace

/// slope x below 0, else x; where the slope is known to be finite, as max(x, 0) + slope min(x, 0). Before operator set
/// 7 a list of slopes is one for each channel, axis 1.
void prelu(Translation& t) {
  const TensorId x = t.input(0);
  TensorId slope = t.input(1);
  const Shape shape = t.shape(x);
  if (t.opset() < 7 && t.shape(slope).size() == 1 && t.shape(slope)[0] != 1 && shape.size() > 1) {
    if (t.shape(slope)[0] != shape[1]) {
      t.fail(fmt::format("{} slopes for an input of shape {}; expected 1, or one for each channel, axis 1",
                         t.shape(slope)[0], to_string(shape)));
    }
    Shape channels(shape.size() - 1, 1);
    channels[0] = shape[1];
    slope = t.reshape(slope, channels);
  }
  if (!has_finite_values(t, slope)) {
    const TensorId below = t.test(BinaryKind::kLess, x, t.scalar(0, x));
    t.result(t.select(below, t.binary(BinaryKind::kMultiply, x, slope), x));
    return;
  }
  const TensorId below = t.binary(BinaryKind::kMinimum, x, t.scalar(0, x));
  t.result(t.binary(BinaryKind::kAdd, t.unary(UnaryKind::kRelu, x), t.binary(BinaryKind::kMultiply, below, slope)));
}

void selu(Translation& t) {
  const bool short_constants = t.opset() < 6;
  const float alpha = short_constants ? 1.6732F : 1.67326319217681884765625F;
  const float gamma = short_constants ? 1.0507F : 1.05070102214813232421875F;
  const TensorId x = t.input(0);
  const TensorId elu = t.unary(UnaryKind::kElu, x, t.real("alpha", alpha));
  t.result(t.binary(BinaryKind::kMultiply, elu, t.scalar(double{t.real("gamma", gamma)}, x)));
}

/// max(x, 0) + min(alpha (e^(x / alpha) - 1), 0), which is x where x / alpha would overflow.
void celu(Translation& t) {
  const TensorId x = t.input(0);
  const TensorId alpha = t.scalar(double{t.real("alpha", 1.0F)}, x), zero = t.scalar(0, x);
  const TensorId raised = t.unary(UnaryKind::kExp, t.binary(BinaryKind::kDivide, x, alpha));
  const TensorId below =
      t.binary(BinaryKind::kMultiply, alpha, t.binary(BinaryKind::kSubtract, raised, t.scalar(1, x)));
  t.result(
      t.binary(BinaryKind::kAdd, t.binary(BinaryKind::kMaximum, x, zero), t.binary(BinaryKind::kMinimum, below, zero)));
}

/// x tanh(softplus(x))
void mish(Translation& t) {
  const TensorId x = t.input(0);
  t.result(t.binary(BinaryKind::kMultiply, x, t.unary(UnaryKind::kTanh, t.unary(UnaryKind::kSoftplus, x))));
}

TensorId swished(Translation& t, TensorId x, float alpha) {
  const TensorId steep = alpha == 1.0F ? x : t.binary(BinaryKind::kMultiply, x, t.scalar(double{alpha}, x));
  return t.binary(BinaryKind::kMultiply, x, t.unary(UnaryKind::kSigmoid, steep));
}

void swish(Translation& t) { t.result(swished(t, t.input(0), t.real("alpha", 1.0F))); }

TensorId gelu_by_tanh(Translation& t, TensorId x) {
  constexpr double kSlope = 0.7978845608028653558798921;
  constexpr double kCubic = 0.044715;
  const auto times = [&](TensorId a, TensorId b) { return t.binary(BinaryKind::kMultiply, a, b); };
  const auto plus = [&](TensorId a, TensorId b) { return t.binary(BinaryKind::kAdd, a, b); };
  const TensorId cube = times(times(x, x), x);
  const TensorId inner = times(plus(x, times(cube, t.scalar(kCubic, x))), t.scalar(kSlope, x));
  return times(times(x, t.scalar(0.5, x)), plus(t.unary(UnaryKind::kTanh, inner), t.scalar(1, x)));
}

/// Exact with the error function, or by tanh.
void gelu(Translation& t) {
  const TensorId x = t.input(0);
  const std::string approximate = t.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    t.fail(fmt::format("approximate '{}'; expected none or tanh", approximate));
  }
  t.result(approximate == "none" ? t.unary(UnaryKind::kGelu, x) : gelu_by_tanh(t, x));
}

void softsign(Translation& t) {
  const TensorId x = t.input(0);
  t.result(t.binary(BinaryKind::kDivide, x, t.binary(BinaryKind::kAdd, t.unary(UnaryKind::kAbs, x), t.scalar(1, x))));
}

}  // namespace systole::graph::onnx_file
