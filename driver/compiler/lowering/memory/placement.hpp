// SPDX-License-Identifier: Apache-2.0
// Placement of a segment's tensors.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "liveness.hpp"
#include "sources.hpp"
#include "systole/generated/configuration.hpp"

namespace systole::network {

/// The memory plan of a segment: tensors in the scratchpad from the layer that computes them to the last that reads
/// them, everything else in device memory, and for each layer the rows that are free for its workspace.
class Placement {
 public:
  /// `spilled` tensors are kept out of the scratchpad.
  Placement(const Segment& segment, const Configuration& configuration, const std::set<graph::TensorId>& spilled);

  /// How many tensors lie in the scratchpad.
  std::size_t tensors_on_chip() const { return held_.size(); }
  /// Rows of a tensor that lies in the scratchpad.
  std::optional<compiler::ChipPlanes> chip(graph::TensorId id) const;
  /// For a tensor of which the scratchpad holds only the latest parts, within a chain: how many; otherwise 0. Each has
  /// as many rows as the chain's largest part.
  int parts_held(graph::TensorId id) const;
  /// Whether a tensor in device memory has no gaps between its pixels: inputs, outputs and reshaped tensors.
  bool dense(graph::TensorId id) const { return dense_.count(id) != 0; }
  /// Free rows during the layer, of its lane if there are lanes.
  compiler::Range workspace(int layer) const;
  /// The largest tensor in the scratchpad during the layer, if any: the one to spill when the layer needs more room.
  std::optional<graph::TensorId> largest(int layer) const;

 private:
  struct Held {
    compiler::Range rows;
    int plane = 0;
    int parts = 0;  ///< if only some are held
  };
  void find_dense(const Segment& segment, const Configuration& configuration);
  std::map<graph::TensorId, int> parts_within_chains(const Segment& segment) const;
  compiler::Range rows_of_lane(std::size_t layer) const;
  int find_rows(int rows, const compiler::Range& within, int layer, bool from_top) const;
  int find_gap(int rows, const compiler::Range& within, int layer, bool from_top, int unit) const;
  compiler::Range largest_gap(int layer, const compiler::Range& within, int unit) const;
  std::vector<compiler::Range> taken(int layer, int unit) const;

  int rows_;
  std::vector<int> lanes_;
  std::map<graph::TensorId, Held> held_;
  std::vector<std::vector<graph::TensorId>> on_chip_;  ///< during each layer
  std::set<graph::TensorId> dense_;
};

}  // namespace systole::network
