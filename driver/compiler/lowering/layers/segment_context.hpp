// SPDX-License-Identifier: Apache-2.0
// What a pass on the layers of a program changes, and what it may know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "indexed_graph.hpp"
#include "pass.hpp"
#include "segment.hpp"
#include "systole/generated/configuration.hpp"

namespace systole::network {

struct SegmentContext {
  Segment& segment;
  const graph::IndexedGraph& graph;
  const Configuration& configuration;
  const std::set<int>& plain;  ///< operators that are lowered in the plain way, and stay so
  std::size_t program = 0;     ///< its number

  std::vector<Layer>& layers() const { return segment.layers; }
  /// Tensors that must stay.
  const std::vector<graph::TensorId>& wanted() const { return segment.outputs; }
  bool wants(graph::TensorId id) const;
  /// Whether one of the layer's operators is to be lowered in the plain way.
  bool stays_plain(const Layer& layer) const;

  /// The layer whose first result the tensor is; null if there is none.
  Layer* maker(graph::TensorId id) const;
  /// The same if one layer reads the tensor, once, and nothing else needs it.
  Layer* sole_maker(graph::TensorId id) const;
  /// The layer that alone reads the tensor, once, if nothing else needs it; else null.
  Layer* only_reader(graph::TensorId id) const;
  /// How often layers read the tensor.
  std::size_t reads(graph::TensorId id) const;

  Amount amount() const { return {segment.layers.size(), "layer"}; }
  std::string listing() const;
  /// A layer that has become part of another one has no output while its pass goes on, and goes when it ends.
  void finish() const;
};

/// A layer becomes part of `whole`, which computes its operators after, or before, its own.
void absorb_behind(Layer& whole, Layer& part);
void absorb_before(Layer& whole, Layer& part);

/// Removes layers that do not multiply and whose results no layer reads and nobody wants. Returns how many.
std::int64_t remove_unread(SegmentContext& context);

/// Returns how often it was applied.
using LayerPass = Pass<SegmentContext>;

}  // namespace systole::network
