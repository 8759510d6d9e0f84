// SPDX-License-Identifier: Apache-2.0
// Functions of one number: the upstream gradient times the derivative, from the argument x or the result y.
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "attributes.hpp"
#include "rules.hpp"

namespace systole::training {
namespace {

using graph::Unary;
using graph::UnaryKind;

/// exp(-x^2 * factor)
TensorId bell(GraphBuilder& w, TensorId x, double factor) {
  return w.unary(UnaryKind::kExp, w.scaled(w.multiply(x, x), -factor));
}

TensorId one_less(GraphBuilder& w, TensorId x) { return w.subtract(w.scalar(x, 1), x); }

/// The derivative as a factor.
TensorId derivative(const Backward& b, const Unary& op, TensorId x, TensorId y) {
  GraphBuilder& w = b.w;
  switch (op.kind) {
    case UnaryKind::kSigmoid: return w.multiply(y, one_less(w, y));
    case UnaryKind::kTanh: return one_less(w, w.multiply(y, y));
    case UnaryKind::kGelu: {
      const TensorId error = w.unary(UnaryKind::kErf, w.scaled(x, std::sqrt(0.5)));
      const TensorId density = w.scaled(bell(w, x, 0.5), std::sqrt(0.5 * std::numbers::inv_pi));
      return w.add(w.plus(w.scaled(error, 0.5), 0.5), w.multiply(x, density));
    }
    case UnaryKind::kErf: return w.scaled(bell(w, x, 1), 2 * std::numbers::inv_sqrtpi);
    case UnaryKind::kSoftplus: return w.unary(UnaryKind::kSigmoid, x);
    case UnaryKind::kAbs: return w.unary(UnaryKind::kSign, x);
    case UnaryKind::kExp: return y;
    case UnaryKind::kLog: return w.unary(UnaryKind::kReciprocal, x);
    case UnaryKind::kSqrt: return w.divide(w.scalar(y, 0.5), y);
    case UnaryKind::kReciprocal: return w.unary(UnaryKind::kNegate, w.multiply(y, y));
    case UnaryKind::kReciprocalSqrt: return w.scaled(w.multiply(w.multiply(y, y), y), -0.5);
    case UnaryKind::kSin: return w.unary(UnaryKind::kCos, x);
    case UnaryKind::kCos: return w.unary(UnaryKind::kNegate, w.unary(UnaryKind::kSin, x));
    default: b.refuse(fmt::format("{} has no rule", name_of(op.kind)));
  }
}

TensorId between(GraphBuilder& w, TensorId g, TensorId x, double low, double high) {
  return w.masked(w.less(x, w.scalar(x, high)), w.masked(w.less(w.scalar(x, low), x), g));
}

}  // namespace

void differentiate(const Backward& b, const Unary& op) {
  if (!b.wants(0)) {
    return;
  }
  GraphBuilder& w = b.w;
  const TensorId x = b.input(0), y = b.output(), g = b.upstream();
  const double alpha = op.alpha, beta = op.beta;
  const TensorId zero = w.scalar(x, 0);
  switch (op.kind) {
    case UnaryKind::kIdentity: b.give(0, g); return;
    case UnaryKind::kNegate: b.give(0, w.unary(UnaryKind::kNegate, g)); return;
    case UnaryKind::kRelu: b.give(0, w.masked(w.less(zero, x), g)); return;
    case UnaryKind::kRelu6: b.give(0, between(w, g, x, 0, 6)); return;
    case UnaryKind::kClip: b.give(0, between(w, g, x, alpha, beta)); return;
    case UnaryKind::kLeakyRelu: b.give(0, w.select(w.less(zero, x), g, w.scaled(g, alpha))); return;
    case UnaryKind::kElu: b.give(0, w.select(w.less(x, zero), w.multiply(g, w.plus(y, alpha)), g)); return;
    case UnaryKind::kHardSigmoid: b.give(0, w.scaled(between(w, g, y, 0, 1), alpha)); return;
    case UnaryKind::kHardSwish: {
      const TensorId sloped = w.multiply(g, w.plus(w.scaled(x, 1.0 / 3), 0.5));
      const TensorId not_above = w.select(w.less(x, w.scalar(x, 3)), sloped, g);
      b.give(0, w.masked(w.less(w.scalar(x, -3), x), not_above));
      return;
    }
    default: b.give(0, w.multiply(g, derivative(b, op, x, y)));
  }
}

}  // namespace systole::training
