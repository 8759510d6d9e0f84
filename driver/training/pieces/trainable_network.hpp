// SPDX-License-Identifier: Apache-2.0
// A network to train: a graph whose parameters are inputs.
#pragma once

#include <string>
#include <vector>

#include "dropout.hpp"
#include "loss.hpp"

namespace systole::training {

using graph::ElementType;

/// Numbers that a step reads and replaces.
struct Variable {
  std::string name;
  graph::Value initial;
};

struct Parameter {
  Variable variable;
  TensorId input;
  /// Set for a statistic that the network itself keeps, such as a running mean: its value after the step. The optimizer
  /// leaves it alone.
  TensorId next = graph::kNoTensor;
  bool is_weight = false;  ///< of a product or a convolution, so that weight decay shrinks it (mark_weights())
};

struct Network {
  graph::Graph graph;                  ///< without outputs
  std::vector<TensorId> inputs;        ///< of the samples, [N,...]
  std::int64_t predictions = 1;        ///< of a sample, in rows of the scores; of a language model one a token
  TensorId scores = graph::kNoTensor;  ///< [N * predictions, outputs]
  Loss loss;
  ElementType targets = ElementType::kInt32;  ///< of classes; kFloat32 of labels and numbers
  RandomInputs random;                        ///< for dropout; kNoTensor without
  std::vector<Parameter> parameters;
};

}  // namespace systole::training
