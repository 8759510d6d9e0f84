// SPDX-License-Identifier: Apache-2.0
#include "equalize.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "attributes.hpp"
#include "indexed_graph.hpp"
#include "quantized_parameters.hpp"
#include "range.hpp"
#include "rewrite.hpp"

namespace systole::quantizer {
namespace {

using graph::Graph;
using graph::Operator;
using graph::TensorId;

bool is_homogeneous(Activation activation) {
  return activation == Activation::kNone || activation == Activation::kRelu;
}

std::size_t channels_of(const Graph& graph, std::size_t first) {
  return static_cast<std::size_t>(graph.tensor(graph.operators[first].inputs[1]).shape[0]);
}

/// Whether the operator keeps channels separate; the last dimension is channels or rows of channels.
bool keeps_channels(const Graph& graph, const Operator& op, std::size_t channels) {
  if (const auto* pool = std::get_if<graph::Pool>(&op.kind)) {
    return is_homogeneous(pool->activation);
  }
  const graph::Shape& shape = graph.tensor(op.outputs[0]).shape;
  return std::holds_alternative<graph::Reshape>(op.kind) && !shape.empty() &&
         static_cast<std::size_t>(shape.back()) % channels == 0;
}

/// Largest magnitude of each channel.
std::vector<double> magnitudes_of(const ChannelStatistics& channels) {
  std::vector<double> result;
  for (const Statistics& channel : channels.channels()) {
    result.push_back(std::max(-channel.min(), channel.max()));
  }
  return result;
}

/// The channel of the first layer that a weight of the second multiplies.
std::size_t channel_of(const Operator& second, const Parameters& p, std::size_t weight, std::size_t channels) {
  return input_channel(second, p.shape, weight / p.taps(), weight % p.taps()) % channels;
}

}  // namespace

std::vector<LayerPair> find_pairs(const Graph& graph) {
  const graph::IndexedGraph indexed(graph);
  std::vector<LayerPair> pairs;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    if (!is_weighted(graph, graph.operators[i]) || !is_homogeneous(*activation_of(graph.operators[i].kind))) {
      continue;
    }
    LayerPair pair{i, {}, 0};
    TensorId id = graph.operators[i].outputs[0];
    while (indexed.has_one_reader(id)) {
      const std::size_t reader = indexed.readers(id)[0];
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
    double& most = weights[channel_of(second, p, i, weights.size())];
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
    second.weights[i] *= divisors[channel_of(graph.operators[pair.second], second, i, divisors.size())];
  }
  set_parameters(graph, pair.second, second);
}

std::map<TensorId, std::size_t> divided_tensors(const Graph& graph, const std::vector<LayerPair>& pairs) {
  std::map<TensorId, std::size_t> result;
  for (const LayerPair& pair : pairs) {
    result[graph.operators[pair.first].outputs[0]] = channels_of(graph, pair.first);
    for (const std::size_t i : pair.between) {
      result[graph.operators[i].outputs[0]] = channels_of(graph, pair.first);
    }
  }
  return result;
}

double expected_error(const Graph& graph, const LayerPair& pair, const Observed& first,
                      const std::vector<double>& divisors, const Options& options) {
  const Operator& second = graph.operators[pair.second];
  const graph::Quantization quantization =
      int8_quantization(choose_range(first.channels->divided(divisors), options.calibration, options.percentile));
  std::vector<double> error, mean_square;  // of each channel, after division
  for (std::size_t c = 0; c < divisors.size(); ++c) {
    const Statistics& channel = first.channels->channels()[c];
    std::vector<Statistics::Group> groups = channel.groups();
    for (Statistics::Group& group : groups) {
      group.value /= divisors[c];
    }
    error.push_back(mean_square_error(groups, quantization));
    mean_square.push_back(channel.mean_square() / (divisors[c] * divisors[c]));
  }
  const Parameters p = parameters_of(graph, second);
  double sum = 0;
  for (std::size_t o = 0; o < p.outputs(); ++o) {
    const auto weight = [&](std::size_t i) {
      return p.weights[i] * divisors[channel_of(second, p, i, divisors.size())];
    };
    double most = 0;
    for (std::size_t i = o * p.taps(); i < (o + 1) * p.taps(); ++i) {
      most = std::max(most, std::abs(weight(i)));
    }
    const double step = most == 0 ? 1 : most / kMostWeight;
    for (std::size_t i = o * p.taps(); i < (o + 1) * p.taps(); ++i) {
      const std::size_t c = channel_of(second, p, i, divisors.size());
      const double rounding = weight(i) - std::round(weight(i) / step) * step;
      sum += weight(i) * weight(i) * error[c] + rounding * rounding * mean_square[c];
    }
  }
  return sum;
}

std::vector<std::string> equalize(Graph& graph, const std::vector<LayerPair>& pairs, Observations& observations,
                                  const Options& options) {
  std::vector<std::string> done;
  for (const LayerPair& pair : pairs) {
    const Observed& first = observations.at(graph.operators[pair.first].outputs[0]);
    const std::vector<double> divisors = first.values.all_finite()
                                             ? channel_divisors(graph, pair, magnitudes_of(*first.channels))
                                             : std::vector<double>{};
    const std::vector<double> ones(divisors.size(), 1.0);
    if (divisors.empty() ||
        (options.equalization == Equalization::kAuto &&
         expected_error(graph, pair, first, divisors, options) >= expected_error(graph, pair, first, ones, options))) {
      continue;
    }
    divide_channels(graph, pair, divisors);
    std::vector<std::size_t> makers = pair.between;
    makers.push_back(pair.first);
    for (const std::size_t i : makers) {
      Observed& observed = observations.at(graph.operators[i].outputs[0]);
      observed.values = observed.channels->divided(divisors);
    }
    done.push_back(fmt::format("{} -> {}", graph.operators[pair.first].name, graph.operators[pair.second].name));
  }
  return done;
}

}  // namespace systole::quantizer
