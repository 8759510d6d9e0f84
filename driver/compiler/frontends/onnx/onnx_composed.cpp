// SPDX-License-Identifier: Apache-2.0
// Functions without an operator kind of their own, composed of existing operators.
#include <fmt/core.h>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {

/// max(x, 0) + slope min(x, 0)
void prelu(Translation& t) {
  const TensorId x = t.input(0);
  const TensorId below = t.binary(BinaryKind::kMinimum, x, t.scalar(0, x));
  t.result(
      t.binary(BinaryKind::kAdd, t.unary(UnaryKind::kRelu, x), t.binary(BinaryKind::kMultiply, below, t.input(1))));
}

void selu(Translation& t) {
  constexpr float kAlpha = 1.67326319217681884765625F;
  constexpr float kGamma = 1.05070102214813232421875F;
  const TensorId x = t.input(0);
  const TensorId elu = t.unary(UnaryKind::kElu, x, t.real("alpha", kAlpha));
  t.result(t.binary(BinaryKind::kMultiply, elu, t.scalar(double{t.real("gamma", kGamma)}, x)));
}

/// alpha elu(x / alpha), where elu has slope 1
void celu(Translation& t) {
  const TensorId x = t.input(0);
  const TensorId alpha = t.scalar(double{t.real("alpha", 1.0F)}, x);
  t.result(
      t.binary(BinaryKind::kMultiply, t.unary(UnaryKind::kElu, t.binary(BinaryKind::kDivide, x, alpha), 1.0F), alpha));
}

/// x tanh(softplus(x))
void mish(Translation& t) {
  const TensorId x = t.input(0);
  t.result(t.binary(BinaryKind::kMultiply, x, t.unary(UnaryKind::kTanh, t.unary(UnaryKind::kSoftplus, x))));
}

/// x sigmoid(alpha x)
void swish(Translation& t) {
  const TensorId x = t.input(0);
  const float alpha = t.real("alpha", 1.0F);
  const TensorId steep = alpha == 1.0F ? x : t.binary(BinaryKind::kMultiply, x, t.scalar(double{alpha}, x));
  t.result(t.binary(BinaryKind::kMultiply, x, t.unary(UnaryKind::kSigmoid, steep)));
}

/// Exact with the error function, or 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
void gelu(Translation& t) {
  const TensorId x = t.input(0);
  const std::string approximate = t.text("approximate", "none");
  if (approximate == "none") {
    t.result(t.unary(UnaryKind::kGelu, x));
    return;
  }
  if (approximate != "tanh") {
    t.fail(fmt::format("approximate '{}'; expected none or tanh", approximate));
  }
  constexpr double kSlope = 0.7978845608028653558798921;
  constexpr double kCubic = 0.044715;
  const auto times = [&](TensorId a, TensorId b) { return t.binary(BinaryKind::kMultiply, a, b); };
  const auto plus = [&](TensorId a, TensorId b) { return t.binary(BinaryKind::kAdd, a, b); };
  const TensorId cube = times(times(x, x), x);
  const TensorId inner = times(plus(x, times(cube, t.scalar(kCubic, x))), t.scalar(kSlope, x));
  t.result(times(times(x, t.scalar(0.5, x)), plus(t.unary(UnaryKind::kTanh, inner), t.scalar(1, x))));
}

void softsign(Translation& t) {
  const TensorId x = t.input(0);
  t.result(t.binary(BinaryKind::kDivide, x, t.binary(BinaryKind::kAdd, t.unary(UnaryKind::kAbs, x), t.scalar(1, x))));
}

}  // namespace systole::graph::onnx_file
