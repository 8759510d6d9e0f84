// SPDX-License-Identifier: Apache-2.0
#include "quantizer/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole::quantizer {
namespace {

using graph::Graph;
using graph::Operator;
using graph::TensorId;
using graph::Value;

/// int8 as the real numbers it stands for.
std::vector<double> reals(const Value& value, const graph::Quantization& quantization) {
  std::vector<double> result;
  for (const std::int8_t step : graph::elements<std::int8_t>(value)) {
    result.push_back(double{quantization.scale[0]} * (step - quantization.zero_point[0]));
  }
  return result;
}

void add(LayerReport& layer, const std::vector<float>& wanted, const std::vector<double>& got) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double value = double{wanted[i]};
    const double error = got[i] - value;
    layer.low = layer.compared ? std::min(layer.low, value) : value;
    layer.high = layer.compared ? std::max(layer.high, value) : value;
    layer.signal += value * value;
    layer.noise += error * error;
    layer.largest_error = std::max(layer.largest_error, std::abs(error));
    layer.compared = true;
  }
}

}  // namespace

double LayerReport::signal_to_noise() const {
  constexpr double kDecibel = 10;
  return noise == 0 ? std::numeric_limits<double>::infinity() : kDecibel * std::log10(signal / noise);
}

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

Report compare(const Graph& graph, const Scheme& scheme, const Emitted& emitted, const std::vector<Sample>& samples) {
  Report report;
  report.samples = samples.size();
  std::map<TensorId, std::size_t> layer_of;    // of first results
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const Operator& op = graph.operators[i];
    LayerReport layer;
    layer.name = op.name;
    layer.origin = op.origin;
    layer.int8 = scheme.forms[i].int8;
    layer.reason = scheme.forms[i].reason;
    const auto twin = emitted.twins.find(op.outputs[0]);
    if (layer.int8 && twin != emitted.twins.end()) {
      const graph::Quantization& quantization = *emitted.graph.tensor(twin->second).quantization;
      layer.scale = quantization.scale[0];
      layer.zero_point = quantization.zero_point[0];
      layer_of[twin->second] = i;
    }
    report.layers.push_back(std::move(layer));
  }
  for (const Sample& sample : samples) {
    std::map<std::size_t, Value> wanted;  // by layer
    std::size_t next = 0;
    execute(graph, sample, [&](const Operator&, const std::vector<Value>& values) { wanted[next++] = values[0]; });
    execute(emitted.graph, convert_sample(graph, emitted.graph, sample), [&](const Operator& op, const std::vector<Value>& values) {
      const auto found = layer_of.find(op.outputs[0]);
      if (found != layer_of.end()) {
        const graph::Quantization& quantization = *emitted.graph.tensor(op.outputs[0]).quantization;
        add(report.layers[found->second], graph::elements<float>(wanted.at(found->second)), reals(values[0], quantization));
      }
    });
  }
  for (const auto& [tensor, index] : layer_of) {
    LayerReport& layer = report.layers[index];
    const auto elements = static_cast<double>(samples.size()) * static_cast<double>(graph::count(emitted.graph.tensor(tensor).shape));
    if (layer.compared) {
      layer.signal /= elements;
      layer.noise /= elements;
    }
  }
  return report;
}

}  // namespace systole::quantizer
