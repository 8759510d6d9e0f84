// SPDX-License-Identifier: Apache-2.0
// Channels between two layers divided by a number each, which the second layer's weights are multiplied with: relu(x /
// s) = relu(x) / s for s > 0. What that does to the error of int8 follows from what each channel held, without another
// run of the network.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate.hpp"

namespace systole::quantizer {

/// Indices of operators: a layer with no activation or relu, pools and a flattening that it alone feeds, and a layer.
struct LayerPair {
  std::size_t first = 0;
  std::vector<std::size_t> between;
  std::size_t second = 0;
};

std::vector<LayerPair> find_pairs(const graph::Graph& graph);

/// What to divide each channel of the pair by. With a the channel's largest magnitude and r that of the weights that it
/// is multiplied with, sqrt(a / r): both become sqrt(a r). Where each weight has a scale of its own channel anyway, in
/// a depthwise convolution, a. Magnitudes below 1/1000 of the largest channel's count as that. Empty when nothing is to
/// be gained: one side is all zeros.
std::vector<double> channel_divisors(const graph::Graph& graph, const LayerPair& pair,
                                     const std::vector<double>& magnitudes);

/// Divides the channels of the first layer's result and multiplies the second's weights; the function of the graph
/// stays, up to rounding in float32.
void divide_channels(graph::Graph& graph, const LayerPair& pair, const std::vector<double>& divisors);

/// Tensors that the pairs' divisors divide, and how many channels each has: what calibrate() is to observe per channel.
std::map<graph::TensorId, std::size_t> divided_tensors(const graph::Graph& graph, const std::vector<LayerPair>& pairs);

/// Mean square, summed over the second layer's outputs, of what int8 does to them by rounding between the layers and by
/// rounding its weights, when the channels are divided: each a sum over the weights, of w^2 times the error of a
/// channel, and of the weight's error squared times the channel's mean square. `first` observes the first layer's
/// result, undivided, per channel.
double expected_error(const graph::Graph& graph, const LayerPair& pair, const Observed& first,
                      const std::vector<double>& divisors, const Options& options);

/// Equalizes pairs in the order of the graph and names them, "first -> second". Observations become those of the new
/// graph.
std::vector<std::string> equalize(graph::Graph& graph, const std::vector<LayerPair>& pairs, Observations& observations,
                                  const Options& options);

}  // namespace systole::quantizer
