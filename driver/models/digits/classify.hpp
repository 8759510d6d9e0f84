// SPDX-License-Identifier: Apache-2.0
// Runs the whole digits network on any number of pictures, batch by batch and layer by layer. The golden model computes
// each layer from the device's input, in separate threads while the device continues.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "digits_layers.hpp"

namespace systole::digits {

struct LayerOutcome {
  std::string name;
  std::array<int, 3> output_shape{};
  RunStats stats;          ///< sums over all batches; useful_macs are those of the layer, for all pictures
  std::size_t values = 0;  ///< number of output values, all compared with the golden model
  std::string difference;  ///< first difference from the golden model; empty if none
  bool bit_exact() const { return difference.empty(); }
};

struct Outcome {
  std::vector<int> answers;  ///< per picture
  std::vector<LayerOutcome> layers;
  bool bit_exact() const;
};

struct ClassifyOptions {
  std::size_t batch = 20;       ///< pictures per run of a layer
  unsigned golden_threads = 2;  ///< 0: the calling thread compares
  RunOptions run = {};          ///< of every layer
  /// Called before each run of a layer, with its name and the batch number; returns its RunOptions::progress.
  std::function<decltype(RunOptions::progress)(const std::string& layer, std::size_t batch)> progress = {};
  /// Called when a layer's output differs from the golden model; at once if golden_threads is 0.
  std::function<void()> differs = {};
};

/// Classifies all pictures. Throws InvalidArgument, and what Device::run throws.
Outcome classify(Device& device, const Network& network, const Pictures& pictures, const ClassifyOptions& options = {});

/// As classify(), with a function instead of the device, for tests.
using RunLayer = std::function<Computed<std::int8_t>(const Layer&, const HostTensor8&, std::size_t batch)>;
Outcome classify(const RunLayer& run_layer, const Network& network, const Pictures& pictures,
                 const ClassifyOptions& options);

}  // namespace systole::digits
