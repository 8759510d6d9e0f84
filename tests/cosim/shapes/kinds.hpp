// SPDX-License-Identifier: Apache-2.0
// Operators of the device, each with the ranges of its attributes that are tested: the table of supported operators has
// a line for each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spec.hpp"
#include "systole/graph.hpp"

namespace systole::shapes {

struct Parameter {
  std::string name;
  int min = 0, max = 0;
};

struct Kind {
  std::string name;   ///< in lower case, without blanks
  std::string title;  ///< in the table
  std::vector<Parameter> parameters;
  /// A graph of this one operator. Throws graph::GraphError for attributes that do not go together, such as a kernel
  /// that is larger than its image.
  std::function<graph::Graph(const Spec&)> build;
  /// Whether the device has it for some scales only; the host then does it, and the case does not count.
  bool sometimes = false;
};

const std::vector<Kind>& kinds();
/// Those by ONNX's rules, of which kinds() has a part.
std::vector<Kind> onnx_kinds();
/// Those with a second operand that is constant or repeated, and what two operators are fused to.
std::vector<Kind> operand_kinds();
/// Those of uint8.
std::vector<Kind> uint8_kinds();

/// Throws std::invalid_argument, listing the names, for one that is none.
const Kind& find_kind(const std::string& name);

/// Makes drawn attributes go together where that is easy: no more padding than a window can reach from within the
/// image.
void settle(Spec& spec);

/// Elements for the graph's inputs, from the specification's seed; both ends of their type are among them.
std::vector<std::vector<std::uint8_t>> inputs_of(const graph::Graph& graph, const Spec& spec);

}  // namespace systole::shapes
