// SPDX-License-Identifier: Apache-2.0
// Sums, products and other combinations of two tensors, and selection.
#include <fmt/core.h>

#include "attributes.hpp"
#include "execute_binary32.hpp"
#include "rules.hpp"

namespace systole::training {
namespace {

using graph::BinaryKind;

/// The larger or smaller one has the gradient; lhs where both are equal.
void extreme(const Backward& b, TensorId g, BinaryKind kind) {
  const bool least = kind == BinaryKind::kMinimum;
  const TensorId of_lhs = b.w.binary(BinaryKind::kLessOrEqual, b.input(least ? 0 : 1), b.input(least ? 1 : 0));
  if (b.wants(0)) {
    b.give(0, b.w.masked(of_lhs, g));
  }
  if (b.wants(1)) {
    b.give(1, b.w.select(of_lhs, b.w.scalar(g, 0), g));
  }
}

void power(const Backward& b, TensorId g) {
  if (b.wants(1)) {
    b.refuse("the exponent must be constant");
  }
  const auto lower = [&] {
    const TensorId exponent = b.w.subtract(b.input(1), b.w.scalar(g, 1));
    return b.w.binary(BinaryKind::kPower, b.input(0), exponent);
  };
  // That of a square needs none.
  const bool squares = graph::whole_power(b.w.tensor(b.input(1))) == 2;
  b.give(0, b.w.multiply(g, b.w.multiply(b.input(1), squares ? b.input(0) : lower())));
}

void prelu(const Backward& b, TensorId g) {
  const TensorId negative = b.w.less(b.input(0), b.w.scalar(g, 0));
  if (b.wants(0)) {
    b.give(0, b.w.select(negative, b.w.multiply(g, b.input(1)), g));
  }
  if (b.wants(1)) {
    b.give(1, b.w.masked(negative, b.w.multiply(g, b.input(0))));
  }
}

}  // namespace

void differentiate(const Backward& b, const graph::Binary& op) {
  const TensorId g = b.before(op.activation);
  GraphBuilder& w = b.w;
  switch (op.kind) {
    case BinaryKind::kAdd:
    case BinaryKind::kSubtract:
      if (b.wants(0)) {
        b.give(0, g);
      }
      if (b.wants(1)) {
        b.give(1, op.kind == BinaryKind::kAdd ? g : w.unary(graph::UnaryKind::kNegate, g));
      }
      return;
    case BinaryKind::kMultiply:
      if (b.wants(0)) {
        b.give(0, w.multiply(g, b.input(1)));
      }
      if (b.wants(1)) {
        b.give(1, w.multiply(g, b.input(0)));
      }
      return;
    case BinaryKind::kDivide: {
      const TensorId quotient = w.divide(g, b.input(1));
      if (b.wants(0)) {
        b.give(0, quotient);
      }
      if (b.wants(1)) {
        b.give(1, w.unary(graph::UnaryKind::kNegate, w.multiply(quotient, w.divide(b.input(0), b.input(1)))));
      }
      return;
    }
    case BinaryKind::kSquaredDifference: {
      const TensorId twice = w.multiply(g, w.scaled(w.subtract(b.input(0), b.input(1)), 2));
      if (b.wants(0)) {
        b.give(0, twice);
      }
      if (b.wants(1)) {
        b.give(1, w.unary(graph::UnaryKind::kNegate, twice));
      }
      return;
    }
    case BinaryKind::kMinimum:
    case BinaryKind::kMaximum: extreme(b, g, op.kind); return;
    case BinaryKind::kPower: power(b, g); return;
    case BinaryKind::kPrelu: prelu(b, g); return;
    case BinaryKind::kStraightThrough:
      if (b.wants(1)) {
        b.give(1, g);
      }
      return;
    default: b.refuse(fmt::format("{} has no rule", name_of(op.kind)));
  }
}

void differentiate(const Backward& b, const graph::Select&) {
  const TensorId zero = b.w.scalar(b.upstream(), 0);
  if (b.wants(1)) {
    b.give(1, b.w.select(b.input(0), b.upstream(), zero));
  }
  if (b.wants(2)) {
    b.give(2, b.w.select(b.input(0), zero, b.upstream()));
  }
}

}  // namespace systole::training
