// SPDX-License-Identifier: Apache-2.0
// Queries on float graphs, and rewrites that keep them valid.
#pragma once

#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::quantizer {

/// The values of a float32 constant. Throws GraphError for other tensors.
std::vector<float> floats_of(const graph::Tensor& tensor);

/// Adds a float32 constant with as many values as the shape has.
graph::TensorId add_floats(graph::Graph& graph, const std::string& name, const graph::Shape& shape,
                           const std::vector<float>& values);

/// A float32 convolution or dense layer whose weights, and bias if any, are constant.
bool is_weighted(const graph::Graph& graph, const graph::Operator& op);

/// Weights [O, ...] and bias [O] of such an operator; zeros without a bias.
struct Parameters {
  graph::Shape shape;
  std::vector<double> weights, bias;
  std::size_t outputs() const { return bias.size(); }
  std::size_t taps() const { return weights.size() / bias.size(); }  ///< weights per output
};
Parameters parameters_of(const graph::Graph& graph, const graph::Operator& op);

/// Sets new parameters as new constants, since others may share the old ones. Rounds to float32.
void set_parameters(graph::Graph& graph, std::size_t op, const Parameters& parameters);

/// The input channel that weight `tap` (0 .. taps - 1) of output `output` multiplies.
std::size_t input_channel(const graph::Operator& op, const graph::Shape& weights, std::size_t output, std::size_t tap);

/// Removes an operator with one result; `before`, which computes its input, computes the result instead.
void merge_into(graph::Graph& graph, std::size_t before, std::size_t op);

/// Removes an operator with one result; its readers read `instead`. The result is no graph output.
void bypass(graph::Graph& graph, std::size_t op, graph::TensorId instead);

}  // namespace systole::quantizer
