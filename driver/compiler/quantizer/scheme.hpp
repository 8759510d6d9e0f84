// SPDX-License-Identifier: Apache-2.0
// Chooses the scale and zero point of every tensor that becomes int8.
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
  /// Of every float32 tensor that an int8 operator reads or computes, except weights and biases.
  std::map<graph::TensorId, graph::Quantization> quantization;
  /// Indices of clips implemented by the saturation of the preceding layer: its result is the clip's.
  std::set<std::size_t> saturations;
  std::map<graph::TensorId, Bounds> bounds;  ///< of values that a following softmax distinguishes
};

/// The fixed result quantization of TensorFlow Lite's kernel for the operator, independent of the values: softmax and
/// the logistic function 1/256 and -128, tanh and the L2 normalization 1/128 and 0. None for other operators.
std::optional<graph::Quantization> fixed_quantization(const graph::Operator& op);

/// The operator's first result, or that of the clip that its saturation implements.
graph::TensorId saturated_result(const graph::Graph& graph, const Scheme& scheme, const graph::Operator& op);

/// Tensors between which elements are moved, compared or masked share one quantization, chosen from the values of all
/// computed ones. Constants keep their full range, except for values out of bounds. Operators with non-finite values,
/// or with quantizations that no int8 arithmetic supports, stay float. Throws GraphError, naming it, for an input that
/// is not finite.
Scheme choose_scheme(const graph::Graph& graph, const Observations& observations, const Options& options);

}  // namespace systole::quantizer
