// SPDX-License-Identifier: Apache-2.0
#include "layer_passes.hpp"

#include "compose_moves.hpp"
#include "fuse.hpp"
#include "fuse_block_results.hpp"
#include "fuse_conversions.hpp"
#include "fuse_gradient_tiles.hpp"
#include "fuse_maxima.hpp"
#include "fuse_parts.hpp"
#include "fuse_pool_gradients.hpp"
#include "fuse_row_blocks.hpp"
#include "fuse_second_results.hpp"
#include "fuse_transpositions.hpp"
#include "limit_before_maxima.hpp"
#include "multiply_moves.hpp"
#include "separate_tiles.hpp"
#include "turn_words.hpp"

namespace systole::network {

const std::vector<LayerPass>& layer_passes() {
  static const std::vector<LayerPass> kPasses = {
      {Transformation::kWordTranspositions, turn_words},
      {Transformation::kPoolGradients, fuse_pool_gradients},
      {Transformation::kRemoveUnread, remove_unread},
      {Transformation::kLimitsBeforeMaxima, limit_before_maxima},
      {Transformation::kSecondResults, fuse_second_results},
      {Transformation::kRemoveUnread, remove_unread},
      {Transformation::kPadding, fuse_padding},
      {Transformation::kAdditions, fuse_additions},
      {Transformation::kTables, fuse_tables},
      {Transformation::kFlattening, fuse_flattening},
      {Transformation::kReshapes, drop_reshapes},
      {Transformation::kTransposedOperands, fuse_transpositions},
      {Transformation::kComposedMoves, compose_moves},
      {Transformation::kReshapes, drop_reshapes},  // of moves that cancel
      {Transformation::kMultipliedMoves, multiply_moves},
      {Transformation::kBlockResults, fuse_block_results},
      {Transformation::kRemoveUnread, remove_unread},  // transpositions of what products read as it lies
      {Transformation::kParts, fuse_parts},
      {Transformation::kEarlyConversions, order_conversions},
      {Transformation::kRowBlocks, fuse_row_blocks},
      {Transformation::kConversions, fuse_conversions},
      {Transformation::kMaxima, fuse_maxima},
      {Transformation::kWeightTiles, separate_tiles},
      {Transformation::kGradientTiles, fuse_gradient_tiles},
  };
  return kPasses;
}

}  // namespace systole::network
