// SPDX-License-Identifier: Apache-2.0
// Rewrites a float graph to the form that quantizes best: few operators, each with an int8 form if possible.
#pragma once

#include "systole/graph.hpp"

namespace systole::quantizer {

/// Matrix products with a constant right side become dense layers; means over whole images, average pools; divisions
/// by constants and negations, multiplications; minima and maxima with a constant, clips.
void canonicalize(graph::Graph& graph);

/// Fuses relu, relu6 and clips to the same ranges into the preceding operator if they are its only reader.
void fuse_activations(graph::Graph& graph);

/// The part of prepare() that a float network profits from as well: layer normalizations and gelu are recognized, but
/// for its approximation, matrix products with a constant right side become dense layers, and affine operators are
/// folded into the products before them. Throws as prepare().
graph::Graph fold_products(graph::Graph graph);

/// Simplifies the graph, recognizes functions (quantizer/recognize.hpp), and does all of these and the folding of
/// affine operators and factors (quantizer/affine.hpp, quantizer/attention.hpp). The function of the graph is
/// unchanged, up to rounding in float32 and the approximation of gelu; names and types of its inputs and outputs are
/// kept. Throws GraphError if the graph is not valid.
graph::Graph prepare(graph::Graph graph);

}  // namespace systole::quantizer
