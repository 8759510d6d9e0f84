// SPDX-License-Identifier: Apache-2.0
// Channels of a tensor share one scale when the tensor is int8; small channels then have few steps. Between two layers a channel
// may be divided by a number, which the second layer's weights are multiplied with: relu(x / s) = relu(x) / s for s > 0 (Nagel et al.,
// Data-Free Quantization Through Weight Equalization and Bias Correction, 2019; here with ranges of activations from samples).
#pragma once

#include <string>
#include <vector>

#include "quantizer/calibrate.hpp"
#include "quantizer/range.hpp"

namespace systole::quantizer {

enum class Equalization {
  kOff,
  kOn,    ///< every pair of layers
  kAuto,  ///< the pairs whose result has a lower mean square error on samples
};

/// Indices of operators: a layer with no activation or relu, pools and a flattening that it alone feeds, and a layer.
struct LayerPair {
  std::size_t first = 0;
  std::vector<std::size_t> between;
  std::size_t second = 0;
};

std::vector<LayerPair> find_pairs(const graph::Graph& graph);

/// What to divide each channel of the pair by. With a the channel's largest magnitude and r that of the weights that it is multiplied
/// with, sqrt(a / r): both become sqrt(a r). Where each weight has a scale of its own channel anyway, in a depthwise convolution, a.
/// Magnitudes below 1/1000 of the largest channel's count as that. Empty when nothing is to be gained: one side is all zeros.
std::vector<double> channel_divisors(const graph::Graph& graph, const LayerPair& pair, const std::vector<double>& magnitudes);

/// Divides the channels of the first layer's result and multiplies the second's weights; the function of the graph stays, up to
/// rounding in float32.
void divide_channels(graph::Graph& graph, const LayerPair& pair, const std::vector<double>& divisors);

/// Equalizes pairs in the order of the graph and names them, "first -> second". kAuto quantizes each pair both ways.
std::vector<std::string> equalize(graph::Graph& graph, const std::vector<Sample>& samples, Equalization equalization,
                                  Calibration calibration, double percentile);

}  // namespace systole::quantizer
