// SPDX-License-Identifier: Apache-2.0
// Optimizers: from parameters and gradients to the next parameters, as operators of the graph.
//
//   sgd        p - rate g
//   momentum   v' = momentum v + g;  p - rate v'
//   adam       m' = beta1 m + (1 - beta1) g;  v' = beta2 v + (1 - beta2) g^2;
//              p - rate (m' c1) / (sqrt(v' c2) + epsilon),  c1 = 1 / (1 - beta1^t),  c2 = 1 / (1 - beta2^t)
//   adamw      the same, and subtracts rate decay p besides
//
// Adam's last line is computed as p - m' (rate c1 / sqrt(c2)) / (sqrt(v') + epsilon / sqrt(c2)), with both scalars from
// the host (Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2). Root and quotient are near_root() and
// near_quotient() of sim/golden/functions/near.hpp: a step that is longer or shorter by 5e-6 of itself trains alike,
// and on the device the strict ones take five times as long.
//
// Weight decay, of the weights of products and convolutions alone, not of biases, normalizations, class tokens and
// positions: all but adamw take g + decay p for g. Clipping: if the norm of all gradients together is above the limit,
// all are multiplied by limit / norm.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph_builder.hpp"
#include "systole/training.hpp"

namespace systole::training {

using graph::GraphBuilder;
using graph::Shape;
using graph::TensorId;

/// Scalars that differ from step to step: computed by the host, inputs of the graph.
struct OptimizerInputs {
  TensorId rate;
  TensorId adam_rate, adam_epsilon;  ///< rate c1 / sqrt(c2) and epsilon / sqrt(c2) above
};

/// The same as numbers, for step number `t`, from 1 on.
struct AdamScalars {
  double rate, epsilon;
};
AdamScalars adam_scalars(const Optimizer& optimizer, double rate, std::int64_t t);

/// Numbers that the optimizer keeps for a parameter, all zeros at first.
struct OptimizerState {
  std::string name;  ///< "momentum", "mean" or "square"
  TensorId before;   ///< input of the graph
  TensorId after = graph::kNoTensor;
};

/// "sgd", "momentum", "adam", "adamw".
std::string name_of(OptimizerKind kind);
/// Whether it keeps means of gradients and of their squares.
bool is_adam(OptimizerKind kind);

/// What the optimizer keeps for each parameter.
std::vector<std::string> state_names(OptimizerKind kind);

/// The gradients, limited to the norm.
std::vector<TensorId> clipped(GraphBuilder& w, const std::vector<TensorId>& gradients, double norm);

/// A parameter and its gradient.
struct Given {
  TensorId parameter, gradient;
  bool decays = false;  ///< whether weight decay shrinks it
};

/// The parameter after the step. `states` are those of state_names(); their `after` is set.
TensorId updated(GraphBuilder& w, const Optimizer& optimizer, const OptimizerInputs& inputs, const Given& given,
                 std::vector<OptimizerState>& states);

}  // namespace systole::training
