// SPDX-License-Identifier: Apache-2.0
// Dense layers and matrix products.
#include "rules.hpp"

namespace systole::training {

void differentiate(const Backward& b, const graph::MatMul& op) {
  GraphBuilder& w = b.w;
  const TensorId g = b.upstream(), lhs = b.input(0), rhs = b.input(1);
  if (b.wants(0)) {
    b.give(0, op.transpose_a ? w.product(rhs, g, op.transpose_b, true) : w.product(g, rhs, false, !op.transpose_b));
  }
  if (b.wants(1)) {
    b.give(1, op.transpose_b ? w.product(g, lhs, true, op.transpose_a) : w.product(lhs, g, !op.transpose_a, false));
  }
  if (b.wants(2)) {
    b.give(2, g);
  }
}

void differentiate(const Backward& b, const graph::Dense& op) {
  GraphBuilder& w = b.w;
  const Shape weights = b.input_shape(1);
  const std::int64_t rows = graph::count(b.input_shape(0)) / weights[1];
  const TensorId g = w.reshape(b.before(op.activation), {rows, weights[0]});
  if (b.wants(0)) {
    b.give(0, w.reshape(w.product(g, b.input(1)), b.input_shape(0)));
  }
  if (b.wants(1)) {
    b.give(1, w.product(g, w.reshape(b.input(0), {rows, weights[1]}), true));
  }
  if (b.wants(2)) {
    b.give(2, g);
  }
}

}  // namespace systole::training
