// SPDX-License-Identifier: Apache-2.0
// A network to train: a graph whose parameters are inputs.
#pragma once

#include <string>
#include <vector>

#include "dropout.hpp"

namespace systole::training {

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
};

struct Network {
  graph::Graph graph;  ///< without outputs
  TensorId images = graph::kNoTensor;
  TensorId scores = graph::kNoTensor;  ///< [N, classes]
  RandomInputs random;                 ///< for dropout; kNoTensor without
  std::vector<Parameter> parameters;
};

}  // namespace systole::training
