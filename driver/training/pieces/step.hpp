// SPDX-License-Identifier: Apache-2.0
// A training step as graphs: forward, loss, gradients, update.
#pragma once

#include <vector>

#include "optimizer.hpp"
#include "trainable_network.hpp"

namespace systole::training {

/// Scalars of a step: float32, but for the three of dropout, which are uint32.
enum class ScalarKind { kRate, kAdamRate, kAdamEpsilon, kSeed, kStep, kFirstSample };

struct Step {
  /// Inputs: images, labels (int32 [N]), one for each of `scalars`, one for each of `variables`. Outputs: loss (the
  /// mean over the batch), number of right answers (a float), and the variables after the step.
  graph::Graph graph;
  std::vector<ScalarKind> scalars;
  std::vector<Variable> variables;  ///< parameters, in the network's order, then the optimizer's state
};

/// Throws GraphError, naming the operator, if one cannot be differentiated.
Step training_step(Network network, const Optimizer& optimizer);

/// Without gradients: there are no scalars, and of the outputs only the loss (the sum over the batch) and the number of
/// right answers. The variables are the network's parameters.
Step evaluation_step(Network network);

/// A step whose batch is cut into micro-batches. What each contributes is added, in their order.
struct SplitStep {
  /// Of one micro-batch; the variables are the network's parameters. Outputs: its share of the batch's mean loss, the
  /// number of right answers, and a contribution for each parameter, of its shape: the gradient of that share, or the
  /// next value of a statistic that the network keeps itself.
  Step gradient;
  /// Inputs: one for each of `scalars`, the sum of the contributions to each parameter, one for each of `variables`.
  /// Outputs: the variables after the step. The next value of a statistic is the micro-batches' mean.
  Step update;
};

/// `network` is for one micro-batch of `count`.
SplitStep split_step(Network network, const Optimizer& optimizer, std::int64_t count);

}  // namespace systole::training
