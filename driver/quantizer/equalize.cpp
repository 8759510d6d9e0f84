// SPDX-License-Identifier: Apache-2.0
#include "quantizer/equalize.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "quantizer/emit.hpp"
#include "quantizer/rewrite.hpp"

namespace systole::quantizer {
namespace {

using graph::Activation;
using graph::Graph;
using graph::Operator;
using graph::TensorId;

bool is_homogeneous(Activation activation) { return activation == Activation::kNone || activation == Activation::kRelu; }

std::size_t channels_of(const Graph& graph, std::size_t first) {
  return static_cast<std::size_t>(graph.tensor(graph.operators[first].inputs[1]).shape[0]);
}

/// Whether channels pass an operator without meeting, the last dimension being channels or rows of channels.
bool keeps_channels(const Graph& graph, const Operator& op, std::size_t channels) {
  if (const auto* pool = std::get_if<graph::Pool>(&op.kind)) {
    return is_homogeneous(pool->activation);
  }
  const graph::Shape& shape = graph.tensor(op.outputs[0]).shape;
  return std::holds_alternative<graph::Reshape>(op.kind) && !shape.empty() && static_cast<std::size_t>(shape.back()) % channels == 0;
}

/// The pair as a graph of its own.
Graph pair_graph(const Graph& graph, const LayerPair& pair) {
  Graph result;
  result.name = "pair";
  result.tensors = graph.tensors;
  result.inputs = {graph.operators[pair.first].inputs[0]};
  result.outputs = {graph.operators[pair.second].outputs[0]};
  result.operators.push_back(graph.operators[pair.first]);
  for (const std::size_t i : pair.between) {
    result.operators.push_back(graph.operators[i]);
  }
  result.operators.push_back(graph.operators[pair.second]);
  return result;
}

/// Mean square of the difference between the pair as int8 and `wanted`, one result per sample.
double error_as_int8(const Graph& pair, const std::vector<Sample>& samples, const std::vector<std::vector<float>>& wanted,
                     Calibration calibration, double percentile) {
  const Graph quantized = emit(pair, choose_scheme(pair, calibrate(pair, samples), calibration, percentile), Border::kFloat).graph;
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::vector<float> got = graph::elements<float>(execute(quantized, samples[i]).front());
    for (std::size_t k = 0; k < got.size(); ++k) {
      sum += std::pow(double{got[k]} - double{wanted[i][k]}, 2);
    }
  }
  return sum;
}

/// Largest magnitude of each channel, the last dimension, or of what the last dimension has `channels` of in turn.
std::vector<double> magnitudes_of(const std::vector<graph::Value>& values, std::size_t channels) {
  std::vector<double> result(channels);
  for (const graph::Value& value : values) {
    const std::vector<float> data = graph::elements<float>(value);
    for (std::size_t i = 0; i < data.size(); ++i) {
      double& most = result[i % channels];
      most = std::max(most, std::abs(double{data[i]}));
    }
  }
  return result;
}

/// Equalizes one pair after the other, which look at a few samples.
class Equalizer {
 public:
  Equalizer(Graph& graph, Equalization equalization, Calibration calibration, double percentile)
      : graph_(graph), equalization_(equalization), calibration_(calibration), percentile_(percentile) {}

  bool attempt(const LayerPair& pair, const std::vector<Sample>& inputs) {
    const Graph before = pair_graph(graph_, pair);
    std::vector<graph::Value> results;
    std::vector<std::vector<float>> wanted;
    for (const Sample& input : inputs) {
      bool first = true;
      wanted.push_back(graph::elements<float>(execute(before, input, [&](const Operator&, const std::vector<graph::Value>& values) {
                                                if (first) {
                                                  results.push_back(values[0]);
                                                }
                                                first = false;
                                              }).front()));
    }
    const std::vector<double> divisors = channel_divisors(graph_, pair, magnitudes_of(results, channels_of(graph_, pair.first)));
    if (divisors.empty()) {
      return false;
    }
    Graph equalized = graph_;
    divide_channels(equalized, pair, divisors);
    if (equalization_ == Equalization::kAuto &&
        error_as_int8(pair_graph(equalized, pair), inputs, wanted, calibration_, percentile_) >=
            error_as_int8(before, inputs, wanted, calibration_, percentile_)) {
      return false;
    }
    graph_ = std::move(equalized);
    return true;
  }

 private:
  Graph& graph_;
  const Equalization equalization_;
  const Calibration calibration_;
  const double percentile_;
};

/// What the tensor is on each sample.
std::vector<Sample> values_of(const Graph& graph, TensorId id, const std::vector<Sample>& samples) {
  std::vector<Sample> result;
  for (const Sample& sample : samples) {
    const auto input = std::find(graph.inputs.begin(), graph.inputs.end(), id);
    if (input != graph.inputs.end()) {
      result.push_back({sample[static_cast<std::size_t>(input - graph.inputs.begin())]});
      continue;
    }
    execute(graph, sample, [&](const Operator& op, const std::vector<graph::Value>& values) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (op.outputs[k] == id) {
          result.push_back({values[k]});
        }
      }
    });
  }
  return result;
}

}  // namespace

std::vector<LayerPair> find_pairs(const Graph& graph) {
  std::vector<LayerPair> pairs;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    if (!is_weighted(graph, graph.operators[i]) || !is_homogeneous(*activation_of(graph.operators[i].kind))) {
      continue;
    }
    LayerPair pair{i, {}, 0};
    TensorId id = graph.operators[i].outputs[0];
    while (has_one_reader(graph, id)) {
      const std::size_t reader = readers_of(graph, id)[0];
      const Operator& op = graph.operators[reader];
      if (is_weighted(graph, op)) {
        pair.second = reader;
        pairs.push_back(pair);
        break;
      }
      if (!keeps_channels(graph, op, channels_of(graph, i))) {
        break;
      }
      pair.between.push_back(reader);
      id = op.outputs[0];
    }
  }
  return pairs;
}

std::vector<double> channel_divisors(const Graph& graph, const LayerPair& pair, const std::vector<double>& magnitudes) {
  constexpr double kLeastPart = 1e-3;
  const Operator& second = graph.operators[pair.second];
  const Parameters p = parameters_of(graph, second);
  const auto* convolution = std::get_if<graph::Conv2d>(&second.kind);
  const bool depthwise = convolution != nullptr && p.shape.back() == 1;
  std::vector<double> weights(magnitudes.size());
  for (std::size_t i = 0; i < p.weights.size(); ++i) {
    double& most = weights[input_channel(second, p.shape, i / p.taps(), i % p.taps()) % weights.size()];
    most = std::max(most, std::abs(p.weights[i]));
  }
  const double least_magnitude = kLeastPart * *std::max_element(magnitudes.begin(), magnitudes.end());
  const double least_weight = kLeastPart * *std::max_element(weights.begin(), weights.end());
  if (least_magnitude == 0 || least_weight == 0) {
    return {};
  }
  std::vector<double> divisors(magnitudes.size());
  for (std::size_t c = 0; c < divisors.size(); ++c) {
    const double magnitude = std::max(magnitudes[c], least_magnitude);
    divisors[c] = depthwise ? magnitude : std::sqrt(magnitude / std::max(weights[c], least_weight));
  }
  return divisors;
}

void divide_channels(Graph& graph, const LayerPair& pair, const std::vector<double>& divisors) {
  Parameters first = parameters_of(graph, graph.operators[pair.first]);
  for (std::size_t i = 0; i < first.weights.size(); ++i) {
    first.weights[i] /= divisors[i / first.taps()];
  }
  for (std::size_t o = 0; o < first.outputs(); ++o) {
    first.bias[o] /= divisors[o];
  }
  set_parameters(graph, pair.first, first);
  Parameters second = parameters_of(graph, graph.operators[pair.second]);
  for (std::size_t i = 0; i < second.weights.size(); ++i) {
    second.weights[i] *= divisors[input_channel(graph.operators[pair.second], second.shape, i / second.taps(), i % second.taps()) % divisors.size()];
  }
  set_parameters(graph, pair.second, second);
}

std::vector<std::string> equalize(Graph& graph, const std::vector<Sample>& samples, Equalization equalization, Calibration calibration,
                                  double percentile) {
  constexpr std::size_t kMostSamples = 16;
  std::vector<std::string> done;
  if (equalization == Equalization::kOff) {
    return done;
  }
  const std::vector<Sample> some(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(std::min(samples.size(), kMostSamples)));
  Equalizer equalizer(graph, equalization, calibration, percentile);
  for (const LayerPair& pair : find_pairs(graph)) {
    if (equalizer.attempt(pair, values_of(graph, graph.operators[pair.first].inputs[0], some))) {
      done.push_back(fmt::format("{} -> {}", graph.operators[pair.first].name, graph.operators[pair.second].name));
    }
  }
  return done;
}

}  // namespace systole::quantizer
