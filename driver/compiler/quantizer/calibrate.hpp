// SPDX-License-Identifier: Apache-2.0
// A float graph on samples, and what its tensors hold.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "softmax_range.hpp"
#include "systole/quantizer.hpp"
#include "tensor_statistics.hpp"

namespace systole::quantizer {

/// What one tensor of float32 held over all samples.
struct Observed {
  Statistics values;
  std::optional<ChannelStatistics> channels;    ///< where they were asked for
  std::optional<SoftmaxRows> rows;              ///< of what a softmax along the last dimension reads
  std::optional<std::size_t> first_not_finite;  ///< number of the first sample with a value that is not finite
};

using Observations = std::map<graph::TensorId, Observed>;

/// Observations of every tensor of float32 that is an input or computed; those in `channels`, which says how many they
/// have, per channel, too. The graph runs once for each sample; samples run at the same time, as many as the machine
/// has cores, and what comes out does not depend on how many these are. Throws GraphError for samples that do not fit
/// and for a graph that the host cannot run.
Observations calibrate(const graph::Graph& graph, const std::vector<Sample>& samples,
                       const std::map<graph::TensorId, std::size_t>& channels = {}, const ProgressHook& progress = {});

}  // namespace systole::quantizer
