// SPDX-License-Identifier: Apache-2.0
// Checkpoints of llama2.c. Version 0: seven little-endian int32, then float32 matrices, row-major [out][in], all layers
// of one kind together. Versions 1 and 2: a header of 256 bytes, "ak42" backwards, the version, these numbers, whether
// embedding and classifier are one, and in version 2 the size of a group; then the normalizations, then the matrices,
// in version 2 int8 in groups of neighbours, followed by a float32 scale for each, which become float32.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::llama2 {

struct Sizes {
  int width = 0;                ///< of the numbers that stand for a token
  int hidden = 0;               ///< of the feed-forward layers
  int layers = 0;               ///< each attention and feed-forward
  int heads = 0;                ///< of queries; a head has width / heads numbers, which is even
  int key_heads = 0;            ///< of keys and values; divides `heads`
  int vocabulary = 0;           ///< tokens
  int context = 0;              ///< positions
  double rotary_base = 10'000;  ///< of the angles of the positions: its powers divide them
  float norm_epsilon = 1e-5F;   ///< that normalizations add to the mean of the squares

  int head_width() const { return width / heads; }
  int key_width() const { return head_width() * key_heads; }
};

/// Finite float32, little-endian, as a constant of a graph: graphs of one checkpoint share them.
using Weights = std::shared_ptr<const graph::Bytes>;

struct Layer {
  Weights attention_norm;             ///< [width]
  Weights query, key, value, output;  ///< [width or key_width, width]
  Weights feed_norm;                  ///< [width]
  Weights gate, down, up;             ///< w1 [hidden, width], w2 [width, hidden], w3 [hidden, width]
};

struct Checkpoint {
  std::string name;  ///< the file's, without folder and extension
  Sizes sizes;
  Weights embedding;  ///< [vocabulary, width]
  std::vector<Layer> layers;
  Weights final_norm;  ///< [width]
  Weights classifier;  ///< [vocabulary, width]; may be the embedding itself
};

/// Reads the bytes of a checkpoint. Throws graph::GraphError that names field or matrix, value, legal range and remedy.
Checkpoint parse_checkpoint(const graph::Bytes& bytes, const std::string& name);

/// The bytes of a file of this checkpoint, version 0. Throws graph::GraphError for a base of the angles or an epsilon
/// that such files have no place for.
graph::Bytes checkpoint_file(const Checkpoint& checkpoint);

}  // namespace systole::llama2
