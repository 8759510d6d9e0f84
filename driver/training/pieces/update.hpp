// SPDX-License-Identifier: Apache-2.0
// The update of all parameters of a network, as operators of a graph.
#pragma once

#include <vector>

#include "optimizer.hpp"
#include "step.hpp"

namespace systole::training {

/// Elements of `from` behind those of `to`.
template <class Element>
void append(std::vector<Element>& to, const std::vector<Element>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

struct Update {
  std::vector<ScalarKind> scalars;   ///< what the optimizer takes besides
  std::vector<TensorId> scalar_ids;  ///< inputs of the graph
  std::vector<Variable> variables;   ///< parameters in their order, then the optimizer's state
  std::vector<TensorId> before, after;
};

/// `gradients` are those of the parameters without `next`, in their order; parameters with one become that.
Update updated(GraphBuilder& w, const Optimizer& optimizer, const std::vector<Parameter>& parameters,
               const std::vector<TensorId>& gradients);

/// The parameters that the optimizer moves.
std::vector<TensorId> trained(const std::vector<Parameter>& parameters);

}  // namespace systole::training
