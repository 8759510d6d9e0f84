// SPDX-License-Identifier: Apache-2.0
// Which operators of a float graph compute with int8, and which stay as they are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::quantizer {

struct Form {
  bool int8 = false;
  std::string reason;  ///< why not
};

/// Operators, by index, that cannot be int8, and why.
using Obstacles = std::map<std::size_t, std::string>;

/// The form of each operator of a prepared graph. Convolutions, dense layers and matrix products are int8 wherever that
/// is possible; the others where an operand is int8 already, so that none is converted for an operator that gains
/// nothing. A softmax that only makes outputs of the graph is int8 where `int8_softmax` says so.
std::vector<Form> choose_forms(const graph::Graph& graph, bool int8_softmax = true, const Obstacles& obstacles = {});

/// Whether the int8 operator needs one quantization for its operands and results: it moves, compares or averages
/// elements.
bool keeps_quantization(const graph::Operator& op);

}  // namespace systole::quantizer
