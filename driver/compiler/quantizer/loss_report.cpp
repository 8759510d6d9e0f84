// SPDX-License-Identifier: Apache-2.0
#include "loss_report.hpp"

#include <algorithm>
#include <map>

#include "in_order.hpp"
#include "layer_sums.hpp"

namespace systole::quantizer {
namespace {

using graph::Graph;
using graph::Operator;
using graph::TensorId;
using graph::Value;

/// Dequantizes.
std::vector<double> reals(const Value& value, const graph::Quantization& quantization) {
  std::vector<double> result;
  for (const std::int8_t step : graph::elements<std::int8_t>(value)) {
    result.push_back(double{quantization.scale[0]} * (step - quantization.zero_point[0]));
  }
  return result;
}

/// Runs both graphs on one sample after another.
class Comparison {
 public:
  Comparison(const Graph& graph, const Scheme& scheme, const Emitted& emitted) : graph_(graph), emitted_(emitted) {
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
      const TensorId result = graph.operators[i].outputs[0];
      const auto twin = emitted.twins.find(result);
      if (scheme.forms[i].int8 && twin != emitted.twins.end()) {
        const auto bounds = scheme.bounds.find(result);
        layer_of_[twin->second] = {i, bounds == scheme.bounds.end() ? Bounds{} : bounds->second};
      }
    }
  }

  const graph::Quantization* quantization_of(std::size_t layer) const {
    for (const auto& [twin, entry] : layer_of_) {
      if (entry.index == layer) {
        return &*emitted_.graph.tensor(twin).quantization;
      }
    }
    return nullptr;
  }

  std::vector<Sums> run(const Sample& sample) const {
    std::map<std::size_t, Value> wanted;  // by layer
    std::size_t next = 0;
    execute(graph_, sample, [&](const Operator&, const std::vector<Value>& values) { wanted[next++] = values[0]; });
    std::vector<Sums> sums(graph_.operators.size());
    execute(emitted_.graph, convert_sample(graph_, emitted_.graph, sample),
            [&](const Operator& op, const std::vector<Value>& values) {
              const auto found = layer_of_.find(op.outputs[0]);
              if (found != layer_of_.end()) {
                const Layer& layer = found->second;
                add(sums[layer.index], layer.bounds, graph::elements<float>(wanted.at(layer.index)),
                    reals(values[0], *emitted_.graph.tensor(op.outputs[0]).quantization));
                wanted.erase(layer.index);
              }
            });
    return sums;
  }

 private:
  struct Layer {
    std::size_t index = 0;
    Bounds bounds;
  };

  static void add(Sums& sums, const Bounds& bounds, const std::vector<float>& wanted, const std::vector<double>& got) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double value = double{wanted[i]};
      if (value < bounds.floor || value > bounds.ceiling) {
        ++sums.masked;
      } else {
        sums.add(value, got[i]);
      }
    }
  }

  const Graph& graph_;
  const Emitted& emitted_;
  std::map<TensorId, Layer> layer_of_;  ///< by the int8 result
};

}  // namespace

Sample convert_sample(const Graph& graph, const Graph& quantized, const Sample& sample) {
  Sample result;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const graph::Tensor& from = graph.tensor(graph.inputs.at(i));
    const graph::Tensor& to = quantized.tensor(quantized.inputs.at(i));
    if (from.type == to.type) {
      result.push_back(sample[i]);
      continue;
    }
    Graph one;
    one.tensors = {from, to};
    Operator op;
    op.name = "input";
    op.kind = graph::Convert{};
    op.inputs = {0};
    op.outputs = {1};
    result.push_back(execute_operator(one, op, {&sample[i]}).front());
  }
  return result;
}

Report compare(const Graph& graph, const Scheme& scheme, const Emitted& emitted, const std::vector<Sample>& samples,
               std::size_t count, const ProgressHook& progress) {
  const Comparison comparison(graph, scheme, emitted);
  std::vector<Sums> sums(graph.operators.size());
  Report report;
  report.samples = std::min(count, samples.size());
  in_order(
      report.samples, [&](std::size_t i) { return comparison.run(samples[i]); },
      [&](std::size_t i, const std::vector<Sums>& one) {
        for (std::size_t layer = 0; layer < sums.size(); ++layer) {
          sums[layer].add(one[layer]);
        }
        if (progress) {
          progress({Progress::Stage::kComparison, i + 1, report.samples});
        }
      });
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const Sums& sum = sums[i];
    LayerReport layer;
    layer.name = graph.operators[i].name;
    layer.origin = graph.operators[i].origin;
    layer.int8 = scheme.forms[i].int8;
    layer.reason = scheme.forms[i].reason;
    if (const graph::Quantization* quantization = comparison.quantization_of(i)) {
      layer.scale = quantization->scale[0];
      layer.zero_point = quantization->zero_point[0];
    }
    sum.report(layer);
    report.layers.push_back(std::move(layer));
  }
  return report;
}

}  // namespace systole::quantizer
