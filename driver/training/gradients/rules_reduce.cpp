// SPDX-License-Identifier: Apache-2.0
// Reductions and softmax.
#include "infer.hpp"
#include "rules.hpp"

namespace systole::training {

using graph::ReduceKind;

void differentiate(const Backward& b, const graph::Reduce& op) {
  GraphBuilder& w = b.w;
  const Shape shape = b.input_shape(0);
  Shape kept = shape;
  for (const int axis : op.axes) {
    kept[graph::axis_of(axis, shape.size())] = 1;
  }
  const TensorId g = w.reshape(b.upstream(), kept);
  switch (op.kind) {
    case ReduceKind::kSum: b.give(0, w.broadcast(g, shape)); return;
    case ReduceKind::kMean: {
      const auto number = static_cast<double>(graph::count(shape) / graph::count(kept));
      b.give(0, w.broadcast(w.divide(g, w.scalar(g, number)), shape));
      return;
    }
    case ReduceKind::kMax:
    case ReduceKind::kMin: {  // shared by those that are equal
      const TensorId is_it = w.binary(graph::BinaryKind::kEqual, b.input(0), w.reshape(b.output(), kept));
      const TensorId ones = w.select(is_it, w.scalar(g, 1), w.scalar(g, 0));
      b.give(0, w.multiply(ones, w.divide(g, w.reduce(ReduceKind::kSum, ones, op.axes))));
      return;
    }
    case ReduceKind::kProduct: b.refuse("a product along axes has no rule");
  }
}

/// From y: exp(y) is the softmax of a logarithm, so that the cross entropy's gradient is the softmax less the labels,
/// whatever the size of the scores.
void differentiate(const Backward& b, const graph::Softmax& op) {
  GraphBuilder& w = b.w;
  const TensorId y = b.output(), g = b.upstream();
  const auto sum = [&](TensorId x) { return w.reduce(ReduceKind::kSum, x, {op.axis}); };
  const TensorId gradient = op.logarithm ? w.subtract(g, w.multiply(w.unary(graph::UnaryKind::kExp, y), sum(g)))
                                         : w.multiply(y, w.subtract(g, sum(w.multiply(g, y))));
  b.give(0, op.beta == 1 ? gradient : w.scaled(gradient, double{op.beta}));
}

}  // namespace systole::training
