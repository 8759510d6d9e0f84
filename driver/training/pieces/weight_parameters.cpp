// SPDX-License-Identifier: Apache-2.0
#include "weight_parameters.hpp"

#include <set>
#include <variant>

namespace systole::training {
namespace {

bool moves(const graph::OperatorKind& kind) {
  return std::holds_alternative<graph::Transpose>(kind) || std::holds_alternative<graph::Reshape>(kind);
}

}  // namespace

bool is_product(const graph::OperatorKind& kind) {
  return std::holds_alternative<graph::Conv2d>(kind) || std::holds_alternative<graph::Dense>(kind) ||
         std::holds_alternative<graph::MatMul>(kind);
}

void mark_weights(Network& network) {
  constexpr std::size_t kOperands = 2;  // of a product; a bias is the third
  std::set<TensorId> multiplied;
  for (auto op = network.graph.operators.rbegin(); op != network.graph.operators.rend(); ++op) {
    if (is_product(op->kind)) {
      multiplied.insert(op->inputs.begin(), op->inputs.begin() + kOperands);
    } else if (moves(op->kind) && multiplied.count(op->outputs.at(0)) != 0) {
      multiplied.insert(op->inputs.at(0));
    }
  }
  for (Parameter& parameter : network.parameters) {
    parameter.is_weight = multiplied.count(parameter.input) != 0;
  }
}

}  // namespace systole::training
