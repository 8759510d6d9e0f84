// SPDX-License-Identifier: Apache-2.0
// A language model as one float32 graph: a step over neighbouring tokens. Shapes do not depend on the position, so that
// a step is compiled once.
#pragma once

#include "llama2_checkpoint.hpp"
#include "systole/graph.hpp"

namespace systole::llama2 {

/// A step over `tokens` positions that sees `context` of them: its own, which are the last, and those of the cache.
/// Several sequences have one token and a cache each.
struct Step {
  int tokens = 1;
  int context = 0;
  int sequences = 1;
  int rows() const { return tokens * sequences; }
  int cached() const { return context - tokens; }
};

/// Places in Graph::inputs. For each layer there follow the cached keys of each sequence, then the values, each
/// [key heads, cached, head]. Which positions of the cache are filled, and in which order, only the mask says.
enum StepInput : std::size_t {
  kEmbeddings,  ///< [rows, width]: rows of Checkpoint::embedding
  kCosines,     ///< [rows, 1, head / 2]: rotary_tables()
  kSines,
  kMask,  ///< [1, rows, context]: added to the scores; 0 where a token sees the position, minus infinity where not
  kFirstCache
};

/// Places in Graph::outputs. For each layer there follow keys and values of the tokens, each [key heads, rows, head].
enum StepOutput : std::size_t {
  kLogits,  ///< [rows, vocabulary]
  kFirstAddition
};

/// Throws graph::GraphError unless there is one sequence, or several of one token each.
void check_sequences(int sequences, int tokens);

/// The graph of a step, validated. Throws graph::GraphError unless 1 <= tokens <= context <= the model's, and there is
/// one sequence, or several of one token each.
graph::Graph step_graph(const Checkpoint& checkpoint, const Step& step);

/// Cosines and sines of `count` positions, the first of which is `first`: each [count, head width / 2].
struct RotaryTables {
  std::vector<float> cosines, sines;
};
RotaryTables rotary_tables(const Sizes& sizes, int first, int count);

}  // namespace systole::llama2
