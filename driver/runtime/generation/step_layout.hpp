// SPDX-License-Identifier: Apache-2.0
// What the graphs of a language model's steps look like: how many positions are cached, and how keys and values lie in
// the cache and in inputs and outputs.
#pragma once

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "llama2_checkpoint.hpp"
#include "llama2_graph.hpp"
#include "systole/generation.hpp"
#include "systole/graph_value.hpp"

namespace systole::generation {

/// A step of one sequence, or of several with one token each.
struct StepShape {
  int tokens = 1;  ///< of each sequence
  int cached = 0;  ///< positions of the caches
  int sequences = 1;

  int rows() const { return tokens * sequences; }
  bool operator<(const StepShape& other) const {
    return std::tie(tokens, cached, sequences) < std::tie(other.tokens, other.cached, other.sequences);
  }
};

class StepLayout {
 public:
  virtual ~StepLayout() = default;

  /// Positions of the cache that a step of `tokens` reads, of which `filled` are.
  virtual int cached(int tokens, int filled) const = 0;
  /// Whether a batch that is not full fits behind `filled` positions.
  virtual bool has_room(int tokens, int filled) const = 0;
  virtual graph::Graph graph(const StepShape& step) const = 0;
  virtual llama2::RotaryTables tables(int first, int tokens) const = 0;
  virtual graph::Shape table_shape(int rows) const = 0;
  /// Its last dimension is the positions that are seen.
  virtual graph::Shape mask_shape(const StepShape& step) const = 0;
  /// Which of these is the first of the tokens' own.
  virtual int first_own(const StepShape& step) const = 0;

  /// Of a layer's keys, or its values.
  virtual std::vector<float> cache(bool values) const = 0;
  /// The first positions of it, as an input of a step of `tokens`.
  virtual graph::Value input(const std::vector<float>& cache, bool values, int tokens, int positions) const = 0;
  /// Keeps `count` of the positions that a step has added, from the row `row`, behind `filled`.
  virtual void keep(std::vector<float>& cache, bool values, const graph::Value& added, int row, int filled,
                    int count) const = 0;
};

/// `checkpoint` must outlive the layout.
std::unique_ptr<const StepLayout> layout_of(const llama2::Checkpoint& checkpoint, int context, Products products);

}  // namespace systole::generation
