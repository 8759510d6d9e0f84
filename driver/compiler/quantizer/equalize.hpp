// SPDX-License-Identifier: Apache-2.0
// Cross-layer equalization: the channels between two layers are divided by one number each, and the second layer's
// weights are multiplied by it: relu(x / s) = relu(x) / s for s > 0. The effect on the int8 error is computed from the
// observed channel values, without running the network again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate.hpp"

namespace systole::quantizer {

/// Operator indices: a layer with no activation or relu, the pools and flattening that only it feeds, and a second
/// layer.
struct LayerPair {
  std::size_t first = 0;
  std::vector<std::size_t> between;
  std::size_t second = 0;
};

std::vector<LayerPair> find_pairs(const graph::Graph& graph);

/// The divisor of each channel of the pair: sqrt(a / r), where a is the channel's largest magnitude and r that of the
/// weights it is multiplied with; both become sqrt(a r). In a depthwise convolution, where each channel has a weight
/// scale anyway: a. Magnitudes below 1/1000 of the largest channel's are raised to that. Empty if there is nothing to
/// gain: one side is all zeros.
std::vector<double> channel_divisors(const graph::Graph& graph, const LayerPair& pair,
                                     const std::vector<double>& magnitudes);

/// Divides the channels of the first layer's result and multiplies the second's weights; the function of the graph is
/// unchanged, up to rounding in float32.
void divide_channels(graph::Graph& graph, const LayerPair& pair, const std::vector<double>& divisors);

/// Tensors divided by the pairs' divisors, and their number of channels: calibrate() has to observe them per channel.
std::map<graph::TensorId, std::size_t> divided_tensors(const graph::Graph& graph, const std::vector<LayerPair>& pairs);

/// Expected mean square error of the second layer's outputs, summed over outputs, with divided channels. Sources are
/// the rounding of the tensor between the layers and of the second layer's weights: the sum over the weights of w^2
/// times the channel's error, plus the weight's squared error times the channel's mean square. `first` observes the
/// first layer's result, undivided, per channel.
double expected_error(const graph::Graph& graph, const LayerPair& pair, const Observed& first,
                      const std::vector<double>& divisors, const Options& options);

/// Equalizes pairs in graph order and returns their names, "first -> second". Updates the observations to the new
/// graph.
std::vector<std::string> equalize(graph::Graph& graph, const std::vector<LayerPair>& pairs, Observations& observations,
                                  const Options& options);

}  // namespace systole::quantizer
