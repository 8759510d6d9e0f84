// SPDX-License-Identifier: Apache-2.0
// Layer normalization: mean and deviation are computed again.
#include "rules.hpp"

namespace systole::training {

using graph::ReduceKind;

void differentiate(const Backward& b, const graph::LayerNormalize& op) {
  GraphBuilder& w = b.w;
  const TensorId x = b.input(0), g = b.upstream();
  const auto mean = [&](TensorId values) { return w.reduce(ReduceKind::kMean, values, {-1}); };
  const TensorId centered = w.subtract(x, mean(x));
  const TensorId variance = mean(w.multiply(centered, centered));
  const TensorId deviation = w.unary(graph::UnaryKind::kSqrt, w.plus(variance, double{op.epsilon}));
  const TensorId normal = w.divide(centered, deviation);
  if (b.wants(0)) {
    const TensorId scaled = w.multiply(g, b.input(1));
    const TensorId along = w.multiply(normal, mean(w.multiply(scaled, normal)));
    b.give(0, w.divide(w.subtract(w.subtract(scaled, mean(scaled)), along), deviation));
  }
  if (b.wants(1)) {
    b.give(1, w.multiply(g, normal));
  }
  if (b.wants(2)) {
    b.give(2, g);
  }
}

}  // namespace systole::training
