// SPDX-License-Identifier: Apache-2.0
// Which operators of a float graph become int8 and which stay float.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::quantizer {

struct Form {
  bool int8 = false;
  std::string reason;  ///< why it is not int8
};

/// Operators, by index, that cannot be int8, with the reason.
using Obstacles = std::map<std::size_t, std::string>;

/// The form of each operator of a prepared graph. Convolutions, dense layers and matrix products are int8 wherever
/// possible, and tables that indices look up; other operators only if an operand is already int8, so that nothing is
/// converted for an operator that gains nothing. A softmax that only computes graph outputs is int8 if `int8_softmax`
/// is set.
std::vector<Form> choose_forms(const graph::Graph& graph, bool int8_softmax = true, const Obstacles& obstacles = {});

/// How many operands become int8, from the first; the others are weights, biases, factors and summands of their own
/// types.
std::size_t int8_operands(const graph::Graph& graph, const graph::Operator& op);

/// Whether the int8 operator needs the same quantization for operands and results: it moves, compares or averages
/// elements.
bool keeps_quantization(const graph::Operator& op);

}  // namespace systole::quantizer
