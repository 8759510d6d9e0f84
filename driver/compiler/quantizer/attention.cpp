// SPDX-License-Identifier: Apache-2.0
#include "attention.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "attributes.hpp"
#include "graph_builder.hpp"
#include "indexed_graph.hpp"
#include "permutation.hpp"
#include "rewrite.hpp"

namespace systole::quantizer {
namespace {

using graph::Graph;
using graph::IndexedGraph;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;

bool is_float(const Tensor& tensor) { return tensor.type == graph::ElementType::kFloat32; }

/// Without a bias, a product; with one, a product and an addition.
void to_product(Graph& graph, std::size_t index) {
  const Operator& op = graph.operators[index];
  const Activation activation = std::get<graph::Dense>(op.kind).activation;
  const Tensor& weights = graph.tensor(op.inputs[1]);
  const TensorId bias = op.inputs.size() > 2 ? op.inputs[2] : graph::kNoTensor;
  if (weights.constant || !is_float(weights) || graph.tensor(op.inputs[0]).shape.size() < 2) {
    return;
  }
  std::vector<float> summands;
  if (bias != graph::kNoTensor) {
    if (!graph.tensor(bias).constant) {
      return;
    }
    summands = floats_of(graph.tensor(bias));
  }
  const bool adds = std::any_of(summands.begin(), summands.end(), [](float value) { return value != 0; });
  if (!adds && activation != Activation::kNone) {
    return;
  }
  Operator product = op;
  product.kind = graph::MatMul{false, true};
  product.inputs.resize(2);
  if (!adds) {
    graph.operators[index] = std::move(product);
    return;
  }
  Tensor sums = graph.tensor(op.outputs[0]);
  sums.name += "/product";
  product.name += "/product";
  product.outputs = {add_tensor(graph, std::move(sums))};
  graph.operators[index].kind = graph::Binary{graph::BinaryKind::kAdd, activation};
  graph.operators[index].inputs = {product.outputs[0], bias};
  graph.operators.insert(graph.operators.begin() + static_cast<std::ptrdiff_t>(index), std::move(product));
}

/// Replaces a transposition before the operand by the flag. `flag` is the product's for this operand.
void fold_transpose(Graph& graph, IndexedGraph& indexed, std::size_t index, std::size_t operand,
                    bool graph::MatMul::*flag) {
  const TensorId id = graph.operators[index].inputs[operand];
  const std::optional<std::size_t> maker = indexed.place_of_maker(id);
  auto* transpose = maker ? std::get_if<graph::Transpose>(&graph.operators[*maker].kind) : nullptr;
  if (transpose == nullptr || transpose->permutation.size() < 2) {
    return;
  }
  graph::Permutation swapped = transpose->permutation;
  std::swap(swapped.end()[-1], swapped.end()[-2]);
  if (swapped.back() + 1 != static_cast<int>(swapped.size())) {
    return;
  }
  if (graph::is_identity(swapped)) {
    graph.operators[index].inputs[operand] = graph.operators[*maker].inputs[0];
    indexed.update();
  } else if (indexed.has_one_reader(id)) {
    transpose->permutation = swapped;
    graph::Shape& shape = graph.tensor(id).shape;
    std::swap(shape.end()[-1], shape.end()[-2]);
  } else {
    return;
  }
  bool& transposed = std::get<graph::MatMul>(graph.operators[index].kind).*flag;
  transposed = !transposed;
}

bool moves(const Operator& op) {
  return std::holds_alternative<graph::Reshape>(op.kind) || std::holds_alternative<graph::Transpose>(op.kind);
}

/// The only reader of the tensor, if it is read once, after operators that move elements.
std::optional<std::size_t> reader_after_moves(const IndexedGraph& graph, TensorId id) {
  while (graph.has_one_reader(id)) {
    const std::size_t reader = graph.readers(id)[0];
    if (!moves(graph.op(reader))) {
      return reader;
    }
    id = graph.op(reader).outputs[0];
  }
  return std::nullopt;
}

/// The layer to which a factor of the tensor can be moved.
std::optional<std::size_t> scalable_layer(const IndexedGraph& graph, TensorId id) {
  const std::optional<std::size_t> maker = graph.has_one_reader(id) ? graph.place_of_maker(id) : std::nullopt;
  if (!maker) {
    return std::nullopt;
  }
  const Operator& op = graph.op(*maker);
  if (is_weighted(graph, op)) {
    return *activation_of(op.kind) == Activation::kNone ? maker : std::nullopt;
  }
  const bool product =
      std::holds_alternative<graph::MatMul>(op.kind) && (op.inputs.size() < 3 || op.inputs[2] == graph::kNoTensor);
  if (!product && !moves(op)) {
    return std::nullopt;
  }
  const std::optional<std::size_t> left = scalable_layer(graph, op.inputs[0]);
  return left || !product ? left : scalable_layer(graph, op.inputs[1]);
}

/// The multiplication by one number; none for other operators.
struct Factor {
  TensorId input = graph::kNoTensor;
  double value = 1;
};
std::optional<Factor> factor_of(const Graph& graph, const Operator& op) {
  const auto* binary = std::get_if<graph::Binary>(&op.kind);
  if (binary == nullptr || binary->kind != graph::BinaryKind::kMultiply || binary->activation != Activation::kNone) {
    return std::nullopt;
  }
  const std::size_t constant = graph.tensor(op.inputs[0]).constant ? 0 : 1;
  const Tensor& number = graph.tensor(op.inputs[constant]);
  const TensorId input = op.inputs[1 - constant];
  if (!number.constant || !is_float(number) || graph::count(number.shape) != 1 || graph.tensor(input).constant ||
      graph.tensor(input).shape != graph.tensor(op.outputs[0]).shape) {
    return std::nullopt;
  }
  return Factor{input, double{floats_of(number).front()}};
}

/// Whether the factor was moved to another operator.
bool move_factor(Graph& graph, const IndexedGraph& indexed, std::size_t index, const Factor& factor) {
  const TensorId result = graph.operators[index].outputs[0];
  const std::optional<std::size_t> reader = factor.value > 0 ? reader_after_moves(indexed, result) : std::nullopt;
  auto* softmax = reader ? std::get_if<graph::Softmax>(&graph.operators[*reader].kind) : nullptr;
  if (softmax != nullptr && !softmax->logarithm) {
    softmax->beta *= static_cast<float>(factor.value);
    return true;
  }
  const std::optional<std::size_t> layer = scalable_layer(indexed, factor.input);
  if (!layer) {
    return false;
  }
  Parameters parameters = parameters_of(graph, graph.operators[*layer]);
  const auto times = [&](double value) { return value * factor.value; };
  std::transform(parameters.weights.begin(), parameters.weights.end(), parameters.weights.begin(), times);
  std::transform(parameters.bias.begin(), parameters.bias.end(), parameters.bias.begin(), times);
  set_parameters(graph, *layer, parameters);
  return true;
}

}  // namespace

void canonicalize_products(Graph& graph) {
  IndexedGraph indexed(graph);
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    if (std::holds_alternative<graph::Dense>(graph.operators[i].kind)) {
      to_product(graph, i);
      indexed.update();
    }
    if (std::holds_alternative<graph::MatMul>(graph.operators[i].kind)) {
      fold_transpose(graph, indexed, i, 0, &graph::MatMul::transpose_a);
      fold_transpose(graph, indexed, i, 1, &graph::MatMul::transpose_b);
    }
  }
}

void fold_factors(Graph& graph) {
  IndexedGraph indexed(graph);
  for (std::size_t i = 0; i < graph.operators.size();) {
    const std::optional<Factor> factor = factor_of(graph, graph.operators[i]);
    if (factor && std::isfinite(factor->value) && !indexed.is_output(graph.operators[i].outputs[0]) &&
        move_factor(graph, indexed, i, *factor)) {
      bypass(graph, i, factor->input);
      indexed.update();
    } else {
      ++i;
    }
  }
}

}  // namespace systole::quantizer
