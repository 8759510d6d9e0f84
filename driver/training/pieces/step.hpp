// SPDX-License-Identifier: Apache-2.0
// A training step as graphs: forward, loss, gradients, update.
#pragma once

#include <cstddef>
#include <vector>

#include "optimizer.hpp"
#include "trainable_network.hpp"

namespace systole::training {

/// Scalars of a step: float32, but for the three of dropout, which are uint32.
enum class ScalarKind { kRate, kAdamRate, kAdamEpsilon, kSeed, kStep, kFirstSample };

struct Step {
  /// Inputs: those of the samples, their targets, one for each of `scalars`, one for each of `variables`. Outputs: loss
  /// (the mean over the batch's predictions), metric (LossTerms::metric), and the variables after the step.
  graph::Graph graph;
  std::size_t inputs = 0;        ///< of the samples, before the targets; 0 for an update
  std::int64_t predictions = 1;  ///< of a sample (Network::predictions)
  std::vector<ScalarKind> scalars;
  std::vector<Variable> variables;  ///< parameters, in the network's order, then the optimizer's state
  /// Samples of a batch; not for an update.
  std::size_t samples() const { return static_cast<std::size_t>(graph.tensor(graph.inputs.at(inputs)).shape.at(0)); }
};

/// Throws GraphError, naming the operator, if one cannot be differentiated.
Step training_step(Network network, const Optimizer& optimizer);

/// Without gradients: there are no scalars; the outputs are the loss, the sum over the batch, and the scores, or, of
/// several predictions a sample, LossTerms::metric. The variables are the network's parameters.
Step evaluation_step(Network network);

/// A step whose batch is cut into micro-batches. What each contributes is added, in their order.
struct SplitStep {
  /// Of one micro-batch; the variables are the network's parameters. Outputs: its share of the batch's mean loss, the
  /// sum of its metric, and a contribution for each parameter, of its shape: the gradient of that share, or the next
  /// value of a statistic that the network keeps itself.
  Step gradient;
  /// Inputs: one for each of `scalars`, the sum of the contributions to each parameter, one for each of `variables`.
  /// Outputs: the variables after the step. The next value of a statistic is the micro-batches' mean.
  Step update;
};

/// `network` is for one micro-batch of `count`.
SplitStep split_step(Network network, const Optimizer& optimizer, std::int64_t count);

}  // namespace systole::training
