// SPDX-License-Identifier: Apache-2.0
// A float graph in the form in which it quantizes best: few operators, each with an int8 form if there is one.
#pragma once

#include "systole/graph.hpp"

namespace systole::quantizer {

/// Matrix products with a constant right side become dense layers; means over whole images, average pools; a division
/// by a constant, a multiplication; minima and maxima with a constant, clips.
void canonicalize(graph::Graph& graph);

/// Relu, relu6 and clips to the same ranges become activations of the operator in front, when that is there for them
/// alone.
void fuse_activations(graph::Graph& graph);

/// All of these and the folding of affine operators (quantizer/affine.hpp). The function of the graph stays, up to
/// rounding in float32; names and types of its inputs and outputs stay. Throws GraphError for a graph that is not
/// valid.
graph::Graph prepare(graph::Graph graph);

}  // namespace systole::quantizer
