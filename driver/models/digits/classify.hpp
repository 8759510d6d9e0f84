// SPDX-License-Identifier: Apache-2.0
// The whole digits network over any number of pictures, batch by batch and layer by layer. The golden model computes
// each layer from the input that the device had, in threads of its own while the device goes on.
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
  RunStats stats;          ///< added up over all batches; useful_macs are those of the layer, for all pictures
  std::size_t values = 0;  ///< of the output, all compared with the golden model
  std::string difference;  ///< from it, of the first batch that has one; else empty
  bool bit_exact() const { return difference.empty(); }
};

struct Outcome {
  std::vector<int> answers;  ///< per picture
  std::vector<LayerOutcome> layers;
  bool bit_exact() const;
};

struct ClassifyOptions {
  std::size_t batch = 20;       ///< pictures per run of a layer
  unsigned golden_threads = 2;  ///< 0: compared at once by the caller's thread
  RunOptions run = {};          ///< of every layer
  /// Called before each run of a layer, with its name and the number of the batch; gives its RunOptions::progress.
  std::function<decltype(RunOptions::progress)(const std::string& layer, std::size_t batch)> progress = {};
  /// Called when a layer's output is found to differ from the golden model; at once when golden_threads is 0.
  std::function<void()> differs = {};
};

/// Classifies all pictures. Throws std::invalid_argument, and what Device::run throws.
Outcome classify(Device& device, const Network& network, const Pictures& pictures, const ClassifyOptions& options = {});

/// As classify(), with another function in the device's place, for tests.
using RunLayer = std::function<Computed<std::int8_t>(const Layer&, const HostTensor8&, std::size_t batch)>;
Outcome classify(const RunLayer& run_layer, const Network& network, const Pictures& pictures,
                 const ClassifyOptions& options);

}  // namespace systole::digits
