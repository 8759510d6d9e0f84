// SPDX-License-Identifier: Apache-2.0
// Calibration: runs a float graph on samples and records the values of its tensors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "softmax_range.hpp"
#include "systole/quantizer.hpp"
#include "tensor_statistics.hpp"

namespace systole::quantizer {

/// Statistics of a float32 tensor over all samples.
struct Observed {
  Statistics values;
  std::optional<ChannelStatistics> channels;    ///< if requested
  std::optional<SoftmaxRows> rows;              ///< of the input of a softmax along the last dimension
  std::optional<std::size_t> first_not_finite;  ///< index of the first sample with a value that is not finite
};

using Observations = std::map<graph::TensorId, Observed>;

/// Observations of every float32 tensor that is an input or computed; per channel, too, for those in `channels`, which
/// gives the number of channels. The graph runs once for each sample, in parallel on all cores; the result does not
/// depend on their number. Throws GraphError for samples that do not fit and for a graph that the host cannot run.
Observations calibrate(const graph::Graph& graph, const std::vector<Sample>& samples,
                       const std::map<graph::TensorId, std::size_t>& channels = {}, const ProgressHook& progress = {});

}  // namespace systole::quantizer
