// SPDX-License-Identifier: Apache-2.0
#include "optimizer.hpp"

#include <cmath>

namespace systole::training {
namespace {

/// The state, moved on: before * factor + summand.
TensorId moved(GraphBuilder& w, OptimizerState& state, double factor, TensorId summand) {
  state.after = w.add(w.scaled(state.before, factor), summand);
  return state.after;
}

/// What is subtracted from the parameter.
TensorId adam_step(GraphBuilder& w, const Optimizer& optimizer, const OptimizerInputs& inputs, TensorId g,
                   std::vector<OptimizerState>& states) {
  const TensorId mean = moved(w, states.at(0), optimizer.beta1, w.scaled(g, 1 - optimizer.beta1));
  const TensorId square = moved(w, states.at(1), optimizer.beta2, w.scaled(w.multiply(g, g), 1 - optimizer.beta2));
  return w.near_quotient(w.multiply(mean, inputs.adam_rate), w.add(w.near_root(square), inputs.adam_epsilon));
}

}  // namespace

AdamScalars adam_scalars(const Optimizer& optimizer, double rate, std::int64_t t) {
  const auto correction = [t](double beta) { return 1 / (1 - std::pow(beta, static_cast<double>(t))); };
  const double root = std::sqrt(correction(optimizer.beta2));
  return {rate * correction(optimizer.beta1) / root, optimizer.epsilon / root};
}

std::string name_of(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::kMomentum: return "momentum";
    case OptimizerKind::kAdam: return "adam";
    case OptimizerKind::kAdamW: return "adamw";
    default: return "sgd";
  }
}

bool is_adam(OptimizerKind kind) { return kind == OptimizerKind::kAdam || kind == OptimizerKind::kAdamW; }

std::vector<std::string> state_names(OptimizerKind kind) {
  if (is_adam(kind)) {
    return {"mean", "square"};
  }
  return kind == OptimizerKind::kMomentum ? std::vector<std::string>{"momentum"} : std::vector<std::string>{};
}

std::vector<TensorId> clipped(GraphBuilder& w, const std::vector<TensorId>& gradients, double norm) {
  TensorId squares = graph::kNoTensor;
  for (const TensorId g : gradients) {
    const TensorId sum = w.reduce(graph::ReduceKind::kSum, w.multiply(g, g), graph::all_axes(w.shape(g).size()), false);
    squares = squares == graph::kNoTensor ? sum : w.add(squares, sum);
  }
  const TensorId limit = w.scalar(squares, norm);
  const TensorId most = w.binary(graph::BinaryKind::kMaximum, w.unary(graph::UnaryKind::kSqrt, squares), limit);
  const TensorId factor = w.divide(limit, most);
  std::vector<TensorId> results;
  for (const TensorId g : gradients) {
    results.push_back(w.multiply(g, factor));
  }
  return results;
}

TensorId updated(GraphBuilder& w, const Optimizer& optimizer, const OptimizerInputs& inputs, const Given& given,
                 std::vector<OptimizerState>& states) {
  const bool decays = optimizer.weight_decay != 0 && given.decays;
  const bool besides = optimizer.kind == OptimizerKind::kAdamW;
  const TensorId parameter = given.parameter;
  TensorId step = given.gradient;
  if (decays && !besides) {
    step = w.add(step, w.scaled(parameter, optimizer.weight_decay));
  }
  if (is_adam(optimizer.kind)) {
    const TensorId next = w.subtract(parameter, adam_step(w, optimizer, inputs, step, states));
    return decays && besides ? w.subtract(next, w.multiply(w.scaled(parameter, optimizer.weight_decay), inputs.rate))
                             : next;
  }
  if (optimizer.kind == OptimizerKind::kMomentum) {
    step = moved(w, states.at(0), optimizer.momentum, step);
  }
  return w.subtract(parameter, w.multiply(step, inputs.rate));
}

}  // namespace systole::training
