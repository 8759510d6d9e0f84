// SPDX-License-Identifier: Apache-2.0
// The scale and zero point of every tensor that becomes int8.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "int8_eligibility.hpp"
#include "negligible.hpp"

namespace systole::quantizer {

struct Scheme {
  std::vector<Form> forms;  ///< of each operator
  /// Of every float32 tensor that an int8 operator reads or makes, weights and biases apart.
  std::map<graph::TensorId, graph::Quantization> quantization;
  /// Indices of clips that the saturation of the layer in front does: its result is the clip's.
  std::set<std::size_t> saturations;
  std::map<graph::TensorId, Bounds> bounds;  ///< of values that a softmax behind tells from others
};

/// The quantization that TensorFlow Lite's kernel of the operator has for its result, whatever the values: softmax and
/// the logistic function 1/256 and -128, tanh 1/128 and 0. None for the others.
std::optional<graph::Quantization> fixed_quantization(const graph::Operator& op);

/// The operator's first result, or that of the clip that its saturation does.
graph::TensorId saturated_result(const graph::Graph& graph, const Scheme& scheme, const graph::Operator& op);

/// Tensors between which elements are moved, compared or masked get one quantization, from the values of all that are
/// computed. Constants keep their full range, but for what is out of bounds. Operators whose values are not finite, or
/// that no int8 arithmetic has for these quantizations, stay float. Throws GraphError, with its name, for an input that
/// is not finite.
Scheme choose_scheme(const graph::Graph& graph, const Observations& observations, const Options& options);

}  // namespace systole::quantizer
