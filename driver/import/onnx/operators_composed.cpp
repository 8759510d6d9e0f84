// SPDX-License-Identifier: Apache-2.0
// Functions that a graph has no kind for, made of those it has.
#include "import/onnx/operators.hpp"

namespace systole::graph::onnx_file {

/// max(x, 0) + slope min(x, 0)
void prelu(Translation& t) {
  const TensorId x = t.input(0);
  const TensorId below = t.binary(BinaryKind::kMinimum, x, t.scalar(0, x));
  t.result(t.binary(BinaryKind::kAdd, t.unary(UnaryKind::kRelu, x), t.binary(BinaryKind::kMultiply, below, t.input(1))));
}

void selu(Translation& t) {
  constexpr float kAlpha = 1.67326319217681884765625F;
  constexpr float kGamma = 1.05070102214813232421875F;
  const TensorId x = t.input(0);
  const TensorId elu = t.unary(UnaryKind::kElu, x, t.real("alpha", kAlpha));
  t.result(t.binary(BinaryKind::kMultiply, elu, t.scalar(double{t.real("gamma", kGamma)}, x)));
}

/// alpha elu(x / alpha), elu being that of slope 1
void celu(Translation& t) {
  const TensorId x = t.input(0);
  const TensorId alpha = t.scalar(double{t.real("alpha", 1.0F)}, x);
  t.result(t.binary(BinaryKind::kMultiply, t.unary(UnaryKind::kElu, t.binary(BinaryKind::kDivide, x, alpha), 1.0F), alpha));
}

void softsign(Translation& t) {
  const TensorId x = t.input(0);
  t.result(t.binary(BinaryKind::kDivide, x, t.binary(BinaryKind::kAdd, t.unary(UnaryKind::kAbs, x), t.scalar(1, x))));
}

}  // namespace systole::graph::onnx_file
