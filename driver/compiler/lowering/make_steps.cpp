// SPDX-License-Identifier: Apache-2.0
#include "make_steps.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "builder.hpp"
#include "lower_operator.hpp"

namespace systole::network {
namespace {

using graph::Graph;
using graph::TensorId;

/// A part that the layers of an operator need and the configuration lacks.
std::optional<Part> missing_part(const std::variant<std::vector<Layer>, OnHost>& lowered,
                                 const Configuration& configuration) {
  if (const auto* layers = std::get_if<std::vector<Layer>>(&lowered)) {
    for (const Layer& layer : *layers) {
      if (const auto part = needed_part(layer); part && !configuration.has(*part)) {
        return part;
      }
    }
  }
  return std::nullopt;
}

class Scheduler {
 public:
  Scheduler(const graph::IndexedGraph& graph, const Configuration& configuration,
            const std::map<int, std::string>& refused, const std::set<int>& plain, Transformations& transformations)
      : graph_(graph), pending_(graph_.operators.size(), true) {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      if (graph_.tensors[i].constant) {
        known_.insert(static_cast<TensorId>(i));
      }
    }
    known_.insert(graph_.inputs.begin(), graph_.inputs.end());
    for (std::size_t op = 0; op < graph_.operators.size(); ++op) {
      if (const auto found = refused.find(static_cast<int>(op)); found != refused.end()) {
        lowered_.emplace_back(OnHost{found->second});
      } else {
        lowered_.push_back(lower(graph, graph_.operators[op], plain.count(static_cast<int>(op)) != 0, transformations));
        if (const auto part = missing_part(lowered_.back(), configuration)) {
          lowered_.back() = OnHost{compiler::missing(*part, configuration)};
        }
      }
    }
  }

  std::vector<Step> run() {
    while (std::find(pending_.begin(), pending_.end(), true) != pending_.end()) {
      if (std::vector<Layer> layers = ready_layers(); !layers.empty()) {
        steps_.emplace_back(Segment{std::move(layers), {}, {}});
      }
      host_operators();
    }
    find_borders();
    return std::move(steps_);
  }

 private:
  bool ready(std::size_t op) const {
    const auto& inputs = graph_.operators[op].inputs;
    return pending_[op] && std::all_of(inputs.begin(), inputs.end(),
                                       [&](TensorId id) { return id == graph::kNoTensor || known_.count(id) != 0; });
  }

  void done(std::size_t op) {
    pending_[op] = false;
    known_.insert(graph_.operators[op].outputs.begin(), graph_.operators[op].outputs.end());
  }

  /// Takes all operators that the device can run now. The graph is in topological order, so one pass suffices.
  std::vector<Layer> ready_layers() {
    std::vector<Layer> layers;
    for (std::size_t op = 0; op < pending_.size(); ++op) {
      if (ready(op) && std::holds_alternative<std::vector<Layer>>(lowered_[op])) {
        for (Layer& layer : std::get<std::vector<Layer>>(lowered_[op])) {
          layer.operators = {static_cast<int>(op)};
          layers.push_back(std::move(layer));
        }
        done(op);
      }
    }
    return layers;
  }

  void host_operators() {
    for (std::size_t op = 0; op < pending_.size(); ++op) {
      if (ready(op) && std::holds_alternative<OnHost>(lowered_[op])) {
        steps_.emplace_back(HostStep{static_cast<int>(op), std::get<OnHost>(lowered_[op]).reason});
        done(op);
      }
    }
  }

  std::set<TensorId> made_by(const Step& step) const {
    std::set<TensorId> made;
    if (const auto* segment = std::get_if<Segment>(&step)) {
      for (const Layer& layer : segment->layers) {
        made.insert(layer.output);
      }
    } else {
      const auto& outputs = graph_.operators[static_cast<std::size_t>(std::get<HostStep>(step).op)].outputs;
      made.insert(outputs.begin(), outputs.end());
    }
    return made;
  }

  std::vector<TensorId> used_by(const Step& step) const {
    std::vector<TensorId> used;
    if (const auto* segment = std::get_if<Segment>(&step)) {
      for (const Layer& layer : segment->layers) {
        used.insert(used.end(), layer.inputs.begin(), layer.inputs.end());
      }
    } else {
      used = graph_.operators[static_cast<std::size_t>(std::get<HostStep>(step).op)].inputs;
    }
    return used;
  }

  void find_borders() {
    std::vector<std::set<TensorId>> made;
    for (const Step& step : steps_) {
      made.push_back(made_by(step));
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      auto* segment = std::get_if<Segment>(&steps_[i]);
      if (segment == nullptr) {
        continue;
      }
      for (const TensorId id : used_by(steps_[i])) {
        if (made[i].count(id) == 0 && std::count(segment->inputs.begin(), segment->inputs.end(), id) == 0) {
          segment->inputs.push_back(id);
        }
      }
      std::set<TensorId> wanted(graph_.outputs.begin(), graph_.outputs.end());
      for (std::size_t j = i + 1; j < steps_.size(); ++j) {
        const std::vector<TensorId> used = used_by(steps_[j]);
        wanted.insert(used.begin(), used.end());
      }
      std::copy_if(made[i].begin(), made[i].end(), std::back_inserter(segment->outputs),
                   [&](TensorId id) { return wanted.count(id) != 0; });
    }
  }

  const Graph& graph_;
  std::vector<bool> pending_;  // per operator
  std::set<TensorId> known_;
  std::vector<std::variant<std::vector<Layer>, OnHost>> lowered_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> make_steps(const graph::IndexedGraph& graph, const Configuration& configuration,
                             const std::map<int, std::string>& refused, const std::set<int>& plain,
                             Transformations& transformations) {
  return Scheduler(graph, configuration, refused, plain, transformations).run();
}

}  // namespace systole::network
