// SPDX-License-Identifier: Apache-2.0
// Normalizations: means, deviations and sums are computed again.
#include <cstdint>
#include <vector>

#include "rules.hpp"

namespace systole::training {

using graph::ReduceKind;

namespace {

/// Along the last axis the sums of so many elements before each, itself and so many after it.
TensorId sums_of_neighbours(GraphBuilder& w, TensorId x, int before, int after) {
  const Shape shape = w.shape(x);
  std::vector<std::int64_t> begin(shape.size(), 0), end(shape.size(), 0);
  const std::vector<std::int64_t> step(shape.size(), 1);
  begin.back() = before;
  end.back() = after;
  const TensorId padded = w.pad(x, begin, end);
  TensorId sums = x;
  for (int at = 0; at <= before + after; ++at) {
    if (at != before) {
      begin.back() = at;
      sums = w.add(sums, w.slice(padded, begin, step, shape));
    }
  }
  return sums;
}

}  // namespace

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

/// Each element is in the base of those that it is a neighbour of.
void differentiate(const Backward& b, const graph::LocalResponse& op) {
  GraphBuilder& w = b.w;
  const TensorId x = b.input(0), g = b.upstream();
  const TensorId sums = sums_of_neighbours(w, w.multiply(x, x), op.before, op.after);
  const TensorId base = w.plus(w.scaled(sums, double{op.factor}), double{op.bias});
  const TensorId share = w.divide(g, w.binary(graph::BinaryKind::kPower, base, w.scalar(base, double{op.beta})));
  const TensorId of_bases = sums_of_neighbours(w, w.divide(w.multiply(share, x), base), op.after, op.before);
  b.give(0, w.subtract(share, w.scaled(w.multiply(x, of_bases), 2 * double{op.beta} * double{op.factor})));
}

}  // namespace systole::training
