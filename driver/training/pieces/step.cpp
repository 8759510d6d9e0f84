// SPDX-License-Identifier: Apache-2.0
#include "step.hpp"

#include <utility>

#include "differentiate.hpp"
#include "loss.hpp"

namespace systole::training {
namespace {

using graph::ElementType;
using graph::kNoTensor;

TensorId labels_of(GraphWriter& w, TensorId scores) {
  return w.input("labels", ElementType::kInt32, {w.shape(scores).at(0)});
}

class TrainingStep {
 public:
  TrainingStep(Network network, const Optimizer& optimizer)
      : network_(std::move(network)), optimizer_(optimizer), w_(network_.graph, "step") {}

  Step step() {
    const TensorId labels = labels_of(w_, network_.scores);
    const Loss loss = cross_entropy(w_, network_.scores, labels);
    const auto samples = static_cast<double>(w_.shape(network_.scores).at(0));
    const TensorId mean = w_.scaled(loss.sum, 1 / samples);
    const std::vector<TensorId> gradients = gradients_of(mean);
    const OptimizerInputs inputs = scalars();
    std::vector<TensorId> after, before, states_before, states_after;
    auto gradient = gradients.begin();
    for (const Parameter& parameter : network_.parameters) {
      result_.variables.push_back(parameter.variable);
      before.push_back(parameter.input);
      after.push_back(parameter.next == kNoTensor ? parameter.input : parameter.next);
      if (parameter.next == kNoTensor) {
        std::vector<OptimizerState> states = states_of(parameter);
        after.back() = updated(w_, optimizer_, inputs, parameter.input, *gradient++, states);
        for (const OptimizerState& state : states) {
          states_before.push_back(state.before);
          states_after.push_back(state.after);
        }
      }
    }
    before.insert(before.end(), states_before.begin(), states_before.end());
    after.insert(after.end(), states_after.begin(), states_after.end());
    result_.variables.insert(result_.variables.end(), kept_.begin(), kept_.end());
    result_.graph = std::move(network_.graph);
    result_.graph.inputs = {network_.images, labels};
    result_.graph.inputs.insert(result_.graph.inputs.end(), scalar_ids_.begin(), scalar_ids_.end());
    result_.graph.inputs.insert(result_.graph.inputs.end(), before.begin(), before.end());
    result_.graph.outputs = {mean, loss.right};
    result_.graph.outputs.insert(result_.graph.outputs.end(), after.begin(), after.end());
    return std::move(result_);
  }

 private:
  std::vector<TensorId> gradients_of(TensorId loss) {
    std::vector<TensorId> trained;
    for (const Parameter& parameter : network_.parameters) {
      if (parameter.next == kNoTensor) {
        trained.push_back(parameter.input);
      }
    }
    const std::vector<TensorId> gradients = differentiate(network_.graph, loss, trained);
    return optimizer_.clip_norm > 0 ? clipped(w_, gradients, optimizer_.clip_norm) : gradients;
  }

  TensorId scalar(ScalarKind kind, const char* name) {
    result_.scalars.push_back(kind);
    scalar_ids_.push_back(w_.input(name, ElementType::kFloat32, {}));
    return scalar_ids_.back();
  }

  OptimizerInputs scalars() {
    OptimizerInputs inputs = {scalar(ScalarKind::kRate, "learning_rate"), kNoTensor, kNoTensor};
    if (optimizer_.kind == OptimizerKind::kAdam) {
      inputs.correction1 = scalar(ScalarKind::kCorrection1, "correction1");
      inputs.correction2 = scalar(ScalarKind::kCorrection2, "correction2");
    }
    if (network_.random.seed != kNoTensor) {
      result_.scalars.insert(result_.scalars.end(), {ScalarKind::kSeed, ScalarKind::kStep});
      scalar_ids_.insert(scalar_ids_.end(), {network_.random.seed, network_.random.step});
    }
    return inputs;
  }

  std::vector<OptimizerState> states_of(const Parameter& parameter) {
    std::vector<OptimizerState> states;
    const graph::Value& like = parameter.variable.initial;
    for (const std::string& kind : state_names(optimizer_.kind)) {
      const std::string name = parameter.variable.name + "." + kind;
      states.push_back({kind, w_.input(name, like.type, like.shape)});
      kept_.push_back({name, {like.type, like.shape, graph::Bytes(like.data.size())}});
    }
    return states;
  }

  Network network_;
  const Optimizer optimizer_;
  GraphWriter w_;
  Step result_;
  std::vector<TensorId> scalar_ids_;
  std::vector<Variable> kept_;
};

}  // namespace

Step training_step(Network network, const Optimizer& optimizer) {
  return TrainingStep(std::move(network), optimizer).step();
}

Step evaluation_step(Network network) {
  GraphWriter w(network.graph, "step");
  const TensorId labels = labels_of(w, network.scores);
  const Loss loss = cross_entropy(w, network.scores, labels);
  Step step;
  network.graph.inputs = {network.images, labels};
  for (const Parameter& parameter : network.parameters) {
    network.graph.inputs.push_back(parameter.input);
    step.variables.push_back(parameter.variable);
  }
  network.graph.outputs = {loss.sum, loss.right};
  step.graph = std::move(network.graph);
  return step;
}

}  // namespace systole::training
