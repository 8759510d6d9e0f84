// SPDX-License-Identifier: Apache-2.0
// Products of two computed matrices, as in attention.
#pragma once

#include "systole/graph.hpp"

namespace systole::quantizer {

/// Dense layers with computed weights become matrix products, transpositions before a product its flags if the last
/// dimension then stays in place.
void canonicalize_products(graph::Graph& graph);

/// A multiplication by one number disappears into a softmax that alone reads it, or into the layer whose elements it
/// multiplies, possibly after a product or after elements were moved.
void fold_factors(graph::Graph& graph);

}  // namespace systole::quantizer
