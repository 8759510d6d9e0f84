// SPDX-License-Identifier: Apache-2.0
// How far an int8 graph is from the float graph that it was made from.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "quantizer/calibrate.hpp"
#include "quantizer/emit.hpp"
#include "terminal.hpp"

namespace systole::quantizer {

struct LayerReport {
  std::string name, origin;
  bool int8 = false;
  std::string reason;        ///< why not int8
  bool compared = false;      ///< whether what follows was measured
  double low = 0, high = 0;  ///< what the float result was, over all samples compared
  float scale = 0;           ///< of the int8 result
  std::int32_t zero_point = 0;
  double signal = 0, noise = 0;  ///< mean squares of the float result and of the difference
  double largest_error = 0;      ///< largest magnitude of the difference
  /// 10 log10(signal / noise) in dB; infinite without noise.
  double signal_to_noise() const;
};

struct Report {
  std::vector<LayerReport> layers;   ///< in the order of the float graph; operators that were folded away are not there
  std::vector<std::string> equalized;  ///< "first -> second", where channels were equalized
  std::size_t samples = 0;             ///< that were compared
  std::optional<double> accuracy_before, accuracy_after;  ///< 0 .. 1, with labels
};

/// Runs both graphs on the samples, which are the float graph's.
Report compare(const graph::Graph& graph, const Scheme& scheme, const Emitted& emitted, const std::vector<Sample>& samples);

/// A sample as the int8 graph takes it: float32 inputs become int8 where that graph has them.
Sample convert_sample(const graph::Graph& graph, const graph::Graph& quantized, const Sample& sample);

/// A table of the layers, and what is to be said below.
std::string text(const Report& report, const cli::Style& style);
nlohmann::ordered_json to_json(const Report& report);

}  // namespace systole::quantizer
