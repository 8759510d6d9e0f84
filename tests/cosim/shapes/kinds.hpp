// SPDX-License-Identifier: Apache-2.0
// Operators of the device with the tested ranges of their attributes: the table of supported operators has a line for
// each.
#pragma once

#include <functional>
#include <random>
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
  /// A graph of this one operator. Throws graph::GraphError for incompatible attributes, such as a kernel larger than
  /// its image.
  std::function<graph::Graph(const Spec&)> build;
  /// Whether the device supports it only for some scales; otherwise it runs on the host, and the case is not counted.
  bool sometimes = false;
};

const std::vector<Kind>& kinds();
/// Operators in ONNX's arithmetic, part of kinds().
std::vector<Kind> onnx_kinds();
/// Operators with a constant or broadcast second operand, and fused pairs.
std::vector<Kind> operand_kinds();
/// Element-wise operators of several tensors.
std::vector<Kind> elementwise_kinds();
/// Operators with elements of 16 or 32 bits.
std::vector<Kind> wide_kinds();
/// Sums of products with activations of 16 bits.
std::vector<Kind> wide_sum_kinds();
/// Pools, reductions and softmax of int16.
std::vector<Kind> wide_window_kinds();
/// Operators that combine elements along axes.
std::vector<Kind> reduction_kinds();
/// Operators of transformers.
std::vector<Kind> attention_kinds();
/// Operators on uint8.
std::vector<Kind> uint8_kinds();
/// Operators on elements without a scale.
std::vector<Kind> unquantized_kinds();
/// Products in block floating point.
std::vector<Kind> block_kinds();
/// Operators of training steps.
std::vector<Kind> training_kinds();
/// Operators with state.
std::vector<Kind> recurrent_kinds();

/// Throws std::invalid_argument, listing the names, for an unknown name.
const Kind& find_kind(const std::string& name);

/// Makes drawn attributes compatible where that is easy: limits padding to what a window inside the image can reach.
void settle(Spec& spec);

/// Numbers of moderate size and, unless there are to be no others, any words, zeros, infinities, NaNs and subnormals.
std::vector<std::uint8_t> floats(std::size_t count, std::mt19937_64& random, bool only_moderate = false);

/// Elements for the graph's inputs, from the specification's seed, including both ends of the type's range.
std::vector<std::vector<std::uint8_t>> inputs_of(const graph::Graph& graph, const Spec& spec);

}  // namespace systole::shapes
