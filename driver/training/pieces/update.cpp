// SPDX-License-Identifier: Apache-2.0
#include "update.hpp"

#include <utility>

namespace systole::training {
namespace {

using graph::ElementType;
using graph::kNoTensor;

TensorId scalar(GraphBuilder& w, Update& update, ScalarKind kind, const char* name) {
  update.scalars.push_back(kind);
  update.scalar_ids.push_back(w.input(name, ElementType::kFloat32, {}));
  return update.scalar_ids.back();
}

OptimizerInputs scalars(GraphBuilder& w, Update& update, const Optimizer& optimizer) {
  OptimizerInputs inputs = {scalar(w, update, ScalarKind::kRate, "learning_rate"), kNoTensor, kNoTensor};
  if (is_adam(optimizer.kind)) {
    inputs.adam_rate = scalar(w, update, ScalarKind::kAdamRate, "adam_rate");
    inputs.adam_epsilon = scalar(w, update, ScalarKind::kAdamEpsilon, "adam_epsilon");
  }
  return inputs;
}

/// What the optimizer keeps of the parameters so far.
struct Kept {
  std::vector<Variable> variables;
  std::vector<TensorId> before, after;
};

TensorId moved(GraphBuilder& w, const Optimizer& optimizer, const OptimizerInputs& inputs, const Parameter& parameter,
               TensorId gradient, Kept& kept) {
  const graph::Value& like = parameter.variable.initial;
  std::vector<OptimizerState> states;
  for (const std::string& kind : state_names(optimizer.kind)) {
    const std::string name = parameter.variable.name + "." + kind;
    states.push_back({kind, w.input(name, like.type, like.shape)});
    kept.variables.push_back({name, {like.type, like.shape, graph::Bytes(like.data.size())}});
  }
  const TensorId after = updated(w, optimizer, inputs, {parameter.input, gradient, parameter.is_weight}, states);
  for (const OptimizerState& state : states) {
    kept.before.push_back(state.before);
    kept.after.push_back(state.after);
  }
  return after;
}

}  // namespace

Update updated(GraphBuilder& w, const Optimizer& optimizer, const std::vector<Parameter>& parameters,
               const std::vector<TensorId>& gradients) {
  const std::vector<TensorId> limited =
      optimizer.clip_norm > 0 ? clipped(w, gradients, optimizer.clip_norm) : gradients;
  Update update;
  const OptimizerInputs inputs = scalars(w, update, optimizer);
  Kept kept;
  auto gradient = limited.begin();
  for (const Parameter& parameter : parameters) {
    update.variables.push_back(parameter.variable);
    update.before.push_back(parameter.input);
    update.after.push_back(parameter.next != kNoTensor ? parameter.next
                                                       : moved(w, optimizer, inputs, parameter, *gradient++, kept));
  }
  append(update.variables, kept.variables);
  append(update.before, kept.before);
  append(update.after, kept.after);
  return update;
}

std::vector<TensorId> trained(const std::vector<Parameter>& parameters) {
  std::vector<TensorId> ids;
  for (const Parameter& parameter : parameters) {
    if (parameter.next == kNoTensor) {
      ids.push_back(parameter.input);
    }
  }
  return ids;
}

}  // namespace systole::training
