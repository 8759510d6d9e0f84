// SPDX-License-Identifier: Apache-2.0
// A language model as one float32 graph: a step over neighbouring tokens. Shapes do not depend on the position, so that
// a step is compiled once.
#pragma once

#include "llama2_checkpoint.hpp"
#include "systole/graph.hpp"

namespace systole::llama2 {

/// A step over `tokens` positions that sees `context` of them: its own, which are the last, and those of the cache.
struct Step {
  int tokens = 1;
  int context = 0;
  int cached() const { return context - tokens; }
};

/// Places in Graph::inputs. For each layer there follow its cached keys and values, each [key heads, cached, head].
/// Which positions of the cache are filled, and in which order, only the mask says.
enum StepInput : std::size_t {
  kEmbeddings,  ///< [tokens, width]: rows of Checkpoint::embedding
  kCosines,     ///< [tokens, 1, head / 2]: rotary_tables()
  kSines,
  kMask,  ///< [1, tokens, context]: added to the scores; 0 where a token sees the position, minus infinity where not
  kFirstCache
};

/// Places in Graph::outputs. For each layer there follow keys and values of the tokens, each [key heads, tokens, head].
enum StepOutput : std::size_t {
  kLogits,  ///< [tokens, vocabulary]
  kFirstAddition
};

/// The graph of a step, validated. Throws graph::GraphError unless 1 <= tokens <= context <= the model's.
graph::Graph step_graph(const Checkpoint& checkpoint, const Step& step);

/// Cosines and sines of `count` positions, the first of which is `first`: each [count, head width / 2].
struct RotaryTables {
  std::vector<float> cosines, sines;
};
RotaryTables rotary_tables(const Sizes& sizes, int first, int count);

}  // namespace systole::llama2
