// SPDX-License-Identifier: Apache-2.0
// A language model as one graph whose products are in block floating point: a step over neighbouring tokens behind a
// cache. It computes what step_graph() (llama2_graph.hpp) computes, in the order that is short on the device:
//
//   - queries and keys are one product, gate and up another. The rows of the queries are divided by the root of
//     the head's width beforehand. A second copy of the rows of queries and keys, real and imaginary parts exchanged,
//     makes the rotation two products and a sum, without moving a number.
//   - All heads are multiplied with all keys in one product: each query has zeros beside its own head's numbers, so
//     that other heads' keys add nothing.
//   - Of a single token, the cache is the right operand of both products: the host writes it as weights. The token's
//   own
//     key and value are not in it; what they add is in binary32.
//   - Of several tokens, keys and values, of which there are more, are the left operands, cached and new ones together:
//     blocks are rows of the scratchpad then, not columns of weight tiles. Values are transposed, so that blocks lie
//     along the positions.
#pragma once

#include <vector>

#include "llama2_graph.hpp"

namespace systole::llama2 {

enum class WeightType {
  kBlocks,
  /// A scale for each row of a matrix, and one for each row that it multiplies, in each of which 127 steps are the
  /// greatest magnitude. Products of queries, keys and values remain in blocks.
  kInt8,
};

/// A step over `tokens` positions that sees a cache of `cached`, and its own. A single token's own position is the last
/// of the cache, which has zeros there; several are behind the cache. Several sequences have one token and a cache
/// each.
struct BlockStep {
  int tokens = 1;
  int cached = 16;
  int sequences = 1;
  WeightType weights = WeightType::kBlocks;
  int rows() const { return tokens * sequences; }
  int columns() const { return tokens == 1 ? cached : cached + tokens; }  ///< positions that are seen
};

/// Inputs as StepInput, but
///   - cosines and sines: block_rotary_tables(), [rows, width + key width] each;
///   - the mask: [rows, 1, columns];
///   - for each layer the cached keys [cached, key width] of each sequence, and values, the same for a single token and
///     transposed for several; none if nothing is cached.
/// Outputs as StepOutput, but keys and values of the tokens are [rows, key width].
///
/// Throws graph::GraphError unless there is at least one token, the cache has no negative size, a single token's has
/// room for its own position, and there is one sequence, or several of one token each.
graph::Graph block_step_graph(const Checkpoint& checkpoint, const BlockStep& step);

/// Of `count` positions, the first of which is `first`, for the numbers of queries and keys in the step's order.
RotaryTables block_rotary_tables(const Sizes& sizes, int first, int count);

}  // namespace systole::llama2
