// SPDX-License-Identifier: Apache-2.0
#include "step.hpp"

#include <utility>

#include "differentiate.hpp"
#include "loss.hpp"
#include "update.hpp"
#include "weight_parameters.hpp"

namespace systole::training {
namespace {

using graph::ElementType;
using graph::kNoTensor;

TensorId targets_of(GraphBuilder& w, const Network& network) {
  const Shape scores = w.shape(network.scores);
  const Shape classes =
      network.predictions == 1 ? Shape{scores.at(0)} : Shape{scores.at(0) / network.predictions, network.predictions};
  return w.input("targets", network.targets, network.targets == ElementType::kInt32 ? classes : scores);
}

LossTerms loss_of(GraphBuilder& w, const Network& network, TensorId targets) {
  const TensorId each = network.predictions == 1 ? targets : w.reshape(targets, {w.shape(network.scores).at(0)});
  return loss_of(w, network.loss, network.scores, each);
}

/// The samples' inputs and their targets.
std::vector<TensorId> data_of(const Network& network, TensorId targets) {
  std::vector<TensorId> ids = network.inputs;
  ids.push_back(targets);
  return ids;
}

/// The scalars of dropout and their tensors, if the network has any.
void append_random(const RandomInputs& random, std::vector<ScalarKind>& kinds, std::vector<TensorId>& ids) {
  if (random.seed != kNoTensor) {
    append(kinds, {ScalarKind::kSeed, ScalarKind::kStep});
    append(ids, {random.seed, random.step});
  }
  if (random.first_sample != kNoTensor) {
    kinds.push_back(ScalarKind::kFirstSample);
    ids.push_back(random.first_sample);
  }
}

/// The loss, as its share of the mean over so many predictions.
LossTerms share_of_mean(GraphBuilder& w, const Network& network, TensorId targets, std::int64_t predictions) {
  LossTerms loss = loss_of(w, network, targets);
  loss.sum = w.scaled(loss.sum, 1 / static_cast<double>(predictions));
  return loss;
}

Step gradient_step(Network network, std::int64_t count) {
  GraphBuilder w(network.graph, "step");
  const TensorId targets = targets_of(w, network);
  const LossTerms loss = share_of_mean(w, network, targets, count * w.shape(network.scores).at(0));
  const std::vector<TensorId> gradients = differentiate(network.graph, loss.sum, trained(network.parameters));
  Step step;
  step.inputs = network.inputs.size();
  step.predictions = network.predictions;
  network.graph.inputs = data_of(network, targets);
  append_random(network.random, step.scalars, network.graph.inputs);
  network.graph.outputs = {loss.sum, loss.metric};
  auto gradient = gradients.begin();
  for (const Parameter& parameter : network.parameters) {
    step.variables.push_back(parameter.variable);
    network.graph.inputs.push_back(parameter.input);
    network.graph.outputs.push_back(parameter.next == kNoTensor ? *gradient++ : parameter.next);
  }
  step.graph = std::move(network.graph);
  return step;
}

Step update_step(const Network& network, const Optimizer& optimizer, std::int64_t count) {
  Step step;
  step.graph.name = network.graph.name + " update";
  GraphBuilder w(step.graph, "update");
  std::vector<Parameter> parameters;
  std::vector<TensorId> sums, gradients;
  for (const Parameter& parameter : network.parameters) {
    const auto& [name, initial] = parameter.variable;
    sums.push_back(w.input(name + ".sum", initial.type, initial.shape));
    parameters.push_back(
        {parameter.variable, w.input(name, initial.type, initial.shape), kNoTensor, parameter.is_weight});
    if (parameter.next == kNoTensor) {
      gradients.push_back(sums.back());
    } else {
      parameters.back().next = w.scaled(sums.back(), 1 / static_cast<double>(count));
    }
  }
  Update update = updated(w, optimizer, parameters, gradients);
  step.scalars = std::move(update.scalars);
  step.variables = std::move(update.variables);
  step.graph.inputs = std::move(update.scalar_ids);
  append(step.graph.inputs, sums);
  append(step.graph.inputs, update.before);
  step.graph.outputs = std::move(update.after);
  return step;
}

}  // namespace

Step training_step(Network network, const Optimizer& optimizer) {
  mark_weights(network);
  GraphBuilder w(network.graph, "step");
  const TensorId targets = targets_of(w, network);
  const LossTerms loss = share_of_mean(w, network, targets, w.shape(network.scores).at(0));
  const std::vector<TensorId> gradients = differentiate(network.graph, loss.sum, trained(network.parameters));
  Update update = updated(w, optimizer, network.parameters, gradients);
  append_random(network.random, update.scalars, update.scalar_ids);
  Step step;
  step.scalars = std::move(update.scalars);
  step.variables = std::move(update.variables);
  step.graph = std::move(network.graph);
  step.inputs = network.inputs.size();
  step.predictions = network.predictions;
  step.graph.inputs = data_of(network, targets);
  append(step.graph.inputs, update.scalar_ids);
  append(step.graph.inputs, update.before);
  step.graph.outputs = {loss.sum, loss.metric};
  append(step.graph.outputs, update.after);
  return step;
}

Step evaluation_step(Network network) {
  GraphBuilder w(network.graph, "step");
  const TensorId targets = targets_of(w, network);
  const LossTerms loss = loss_of(w, network, targets);
  Step step;
  step.inputs = network.inputs.size();
  step.predictions = network.predictions;
  network.graph.inputs = data_of(network, targets);
  for (const Parameter& parameter : network.parameters) {
    network.graph.inputs.push_back(parameter.input);
    step.variables.push_back(parameter.variable);
  }
  network.graph.outputs = {loss.sum, network.predictions == 1 ? network.scores : loss.metric};
  step.graph = std::move(network.graph);
  return step;
}

SplitStep split_step(Network network, const Optimizer& optimizer, std::int64_t count) {
  mark_weights(network);
  Step update = update_step(network, optimizer, count);
  return {gradient_step(std::move(network), count), std::move(update)};
}

}  // namespace systole::training
