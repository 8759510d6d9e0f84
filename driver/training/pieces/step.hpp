// SPDX-License-Identifier: Apache-2.0
// A training step as one graph: forward, loss, gradients, update.
#pragma once

#include <vector>

#include "optimizer.hpp"
#include "trainable_network.hpp"

namespace systole::training {

/// Scalars of a step: float32, but for the two of dropout, which are uint32.
enum class ScalarKind { kRate, kCorrection1, kCorrection2, kSeed, kStep };

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

}  // namespace systole::training
