// SPDX-License-Identifier: Apache-2.0
// Layers as text.
#pragma once

#include <string>

#include "segment.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// What the layer computes, with what has become part of it: "conv 3x3 pad 1,1,1,1 + add".
std::string text_of(const Layer& layer);

/// A line for each layer, in the order of computation: the numbers of the operators that it computes, what it does, the
/// engine, operands and results, multiplications, its name. "@2" is the result of operator number 2, "@2.0" what a
/// layer of that operator computes for another one. "2,3  conv 3x3 + add  matrix unit  @1 1x8x8x16 int8, @0 1x8x8x16
/// int8 -> @3 1x8x8x16 int8  147,456 MACs  conv1 + add".
std::string listing(const Segment& segment, const graph::Graph& graph);

}  // namespace systole::network
