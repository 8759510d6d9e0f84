// SPDX-License-Identifier: Apache-2.0
#include "calibrate.hpp"

#include "in_order.hpp"
#include "infer.hpp"

namespace systole::quantizer {
namespace {

/// Operands of softmax operators along the last dimension.
std::map<graph::TensorId, SoftmaxRows> softmax_operands(const graph::Graph& graph) {
  std::map<graph::TensorId, SoftmaxRows> result;
  for (const graph::Operator& op : graph.operators) {
    const auto* softmax = std::get_if<graph::Softmax>(&op.kind);
    const graph::Shape& shape = graph.tensor(op.inputs.at(0)).shape;
    if (softmax != nullptr && graph::axis_of(softmax->axis, shape.size()) + 1 == shape.size()) {
      result.emplace(op.inputs[0], SoftmaxRows(static_cast<std::size_t>(shape.back()), softmax->beta));
    }
  }
  return result;
}

class Calibrator {
 public:
  Calibrator(const graph::Graph& graph, const std::map<graph::TensorId, std::size_t>& channels)
      : graph_(graph), channels_(channels), rows_(softmax_operands(graph)) {}

  Observations observe(const Sample& sample) const {
    Observations result;
    graph::execute(graph_, sample, [&](const graph::Operator& op, const std::vector<graph::Value>& outputs) {
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        record(result, op.outputs[k], outputs[k]);
      }
    });
    for (std::size_t k = 0; k < graph_.inputs.size(); ++k) {
      record(result, graph_.inputs[k], sample[k]);
    }
    return result;
  }

 private:
  void record(Observations& result, graph::TensorId id, const graph::Value& value) const {
    if (value.type != graph::ElementType::kFloat32) {
      return;
    }
    const std::vector<float> values = graph::elements<float>(value);
    Observed& observed = result[id];
    observed.values.add(values);
    if (const auto channels = channels_.find(id); channels != channels_.end()) {
      observed.channels.emplace(channels->second);
      observed.channels->add(values);
    }
    if (const auto rows = rows_.find(id); rows != rows_.end()) {
      observed.rows = rows->second;
      observed.rows->add(values);
    }
  }

  const graph::Graph& graph_;
  const std::map<graph::TensorId, std::size_t>& channels_;
  const std::map<graph::TensorId, SoftmaxRows> rows_;
};

void merge(Observations& all, Observations&& one, std::size_t sample) {
  for (auto& [id, observed] : one) {
    if (!observed.values.all_finite()) {
      observed.first_not_finite = sample;
    }
    const auto [place, is_new] = all.try_emplace(id, std::move(observed));
    if (is_new) {
      continue;
    }
    Observed& together = place->second;
    together.values.add(observed.values);
    if (observed.channels) {
      together.channels->add(*observed.channels);
    }
    if (observed.rows) {
      together.rows->add(*observed.rows);
    }
    if (!together.first_not_finite) {
      together.first_not_finite = observed.first_not_finite;
    }
  }
}

}  // namespace

Observations calibrate(const graph::Graph& graph, const std::vector<Sample>& samples,
                       const std::map<graph::TensorId, std::size_t>& channels, const ProgressHook& progress) {
  const Calibrator calibrator(graph, channels);
  Observations all;
  in_order(
      samples.size(), [&](std::size_t i) { return calibrator.observe(samples[i]); },
      [&](std::size_t i, Observations&& one) {
        merge(all, std::move(one), i);
        if (progress) {
          progress({Progress::Stage::kCalibration, i + 1, samples.size()});
        }
      });
  return all;
}

}  // namespace systole::quantizer
