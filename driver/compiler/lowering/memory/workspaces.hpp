// SPDX-License-Identifier: Apache-2.0
// Rows of the scratchpad through which the tensors of a layer pass that are in device memory.
#pragma once

#include <cstddef>
#include <vector>

#include "placement.hpp"
#include "row_chains.hpp"
#include "segment.hpp"

namespace systole::network {

/// What it is made from must outlive it. `chains` are those of the layers.
class Workspaces {
 public:
  Workspaces(const Segment& segment, const Placement& placement, const std::vector<const RowChain*>& chains, int dim)
      : segment_(segment), placement_(placement), chains_(chains), dim_(dim) {}

  /// Rows of the layer's tensors that are not in the scratchpad, in a part of its chain.
  int rows_off_chip(std::size_t layer) const;

  /// All that a layer may use. The layers of a chain, which run at the same time, have rows of their own, in proportion
  /// to what they need.
  compiler::Range free(std::size_t layer) const;

  /// The same, but for a small kernel of a segment that spreads them rows that have not been in use for longest, so
  /// that its operands are loaded early. `builder` has the instructions of all layers before.
  compiler::Range own(std::size_t layer, const compiler::Builder& builder) const;

 private:
  const Segment& segment_;
  const Placement& placement_;
  const std::vector<const RowChain*>& chains_;
  const int dim_;
};

}  // namespace systole::network
