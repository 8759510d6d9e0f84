// SPDX-License-Identifier: Apache-2.0
// Questions about float graphs, and changes that keep them valid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::quantizer {

/// Index of the operator that makes the tensor; none for inputs of the graph and constants.
std::optional<std::size_t> maker_of(const graph::Graph& graph, graph::TensorId id);

/// Indices of the operators that read the tensor, in order, each once for every time that it does.
std::vector<std::size_t> readers_of(const graph::Graph& graph, graph::TensorId id);

/// Whether the user wants to see the tensor.
bool is_output(const graph::Graph& graph, graph::TensorId id);

/// Whether one operator reads the tensor, once, and nobody else sees it.
bool has_one_reader(const graph::Graph& graph, graph::TensorId id);

/// The values of a constant of float32. Throws GraphError for another tensor.
std::vector<float> floats_of(const graph::Tensor& tensor);

/// A constant of float32, as many values as the shape has.
graph::TensorId add_floats(graph::Graph& graph, const std::string& name, const graph::Shape& shape,
                           const std::vector<float>& values);

/// A convolution or dense layer of float32 whose weights, and bias if there is one, are constant.
bool is_weighted(const graph::Graph& graph, const graph::Operator& op);

/// Weights [O, ...] and bias [O] of such an operator, zeros where it has none.
struct Parameters {
  graph::Shape shape;
  std::vector<double> weights, bias;
  std::size_t outputs() const { return bias.size(); }
  std::size_t taps() const { return weights.size() / bias.size(); }  ///< weights per output
};
Parameters parameters_of(const graph::Graph& graph, const graph::Operator& op);

/// Gives the operator new ones, as new constants: others may share the old ones. Rounds to float32.
void set_parameters(graph::Graph& graph, std::size_t op, const Parameters& parameters);

/// The input channel that weight `tap` (0 .. taps - 1) of output `output` is multiplied with.
std::size_t input_channel(const graph::Operator& op, const graph::Shape& weights, std::size_t output, std::size_t tap);

/// The activation within a convolution, dense layer, binary operator or pool; null for other kinds.
Activation* activation_of(graph::OperatorKind& kind);
const Activation* activation_of(const graph::OperatorKind& kind);

/// Takes out an operator of one result whose maker, `before`, makes that result instead of its own.
void merge_into(graph::Graph& graph, std::size_t before, std::size_t op);

/// Takes out an operator of one result whose readers read `instead`. The result is no output of the graph.
void bypass(graph::Graph& graph, std::size_t op, graph::TensorId instead);

}  // namespace systole::quantizer
