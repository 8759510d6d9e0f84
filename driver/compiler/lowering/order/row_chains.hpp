// SPDX-License-Identifier: Apache-2.0
// Chains of layers that are computed together, some rows after others, so that the vector processor works on some rows
// while the matrix unit computes others. In an attention, the scores of some queries then pass through the softmax to
// the product with the values while those of the next queries are computed.
#pragma once

#include <cstddef>
#include <vector>

#include "segment.hpp"
#include "systole/generated/configuration.hpp"

namespace systole::network {

/// The chains with an operator of the vector processor and at least two parts of `part_rows`. They end at tensors of
/// which two parts take a quarter of the scratchpad or more.
std::vector<RowChain> row_chains(const std::vector<Layer>& layers, int part_rows, const Configuration& configuration);

/// Some rows of a layer, or the whole layer.
struct Piece {
  std::size_t layer = 0;
  bool whole = true;
  int matrix = 0;             ///< that the rows belong to
  int first = 0, count = 0;   ///< rows of the matrix
  std::int64_t position = 0;  ///< of the first row, among those of all matrices
  int part = 0;               ///< among the parts of all matrices
  int images = 0, of = 0;     ///< if not 0: instead of rows, as many images from number `first` on, of all
};

/// The order of computation: a chain's layers start one part after those whose results they read.
std::vector<Piece> order_of(const std::vector<Layer>& layers, const std::vector<RowChain>& chains);

/// The chain of each layer, or null.
std::vector<const RowChain*> chain_of_layers(std::size_t layers, const std::vector<RowChain>& chains);

}  // namespace systole::network
