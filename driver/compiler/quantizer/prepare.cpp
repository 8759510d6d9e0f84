// SPDX-License-Identifier: Apache-2.0
#include "prepare.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "affine.hpp"
#include "attention.hpp"
#include "attributes.hpp"
#include "indexed_graph.hpp"
#include "infer.hpp"
#include "recognize.hpp"
#include "rewrite.hpp"
#include "simplify.hpp"

namespace systole::quantizer {
namespace {

using graph::Graph;
using graph::Operator;
using graph::Tensor;
using graph::UnaryKind;

constexpr std::int64_t kMostConstants = std::int64_t{1} << 28;

bool is_float(const Tensor& tensor) { return tensor.type == graph::ElementType::kFloat32; }

/// [..., M,K] times constant [K,N] is a dense layer with the transposed weights [N,K].
void to_dense(Graph& graph, std::size_t index) {
  const Operator& op = graph.operators[index];
  const auto& product = std::get<graph::MatMul>(op.kind);
  const Tensor& right = graph.tensor(op.inputs[1]);
  const bool has_bias = op.inputs.size() > 2 && op.inputs[2] != graph::kNoTensor;
  if (!right.constant || !is_float(right) || right.shape.size() != 2 || product.transpose_a) {
    return;
  }
  const std::int64_t depth = right.shape[product.transpose_b ? 1 : 0];
  const std::int64_t outputs = right.shape[product.transpose_b ? 0 : 1];
  Parameters parameters{{outputs, depth}, {}, std::vector<double>(static_cast<std::size_t>(outputs))};
  if (has_bias) {
    const Tensor& bias = graph.tensor(op.inputs[2]);
    if (!bias.constant || !is_float(bias) || graph::count(bias.shape) != outputs || bias.shape.back() != outputs) {
      return;
    }
    const std::vector<float> values = floats_of(bias);
    parameters.bias.assign(values.begin(), values.end());
  }
  const std::vector<float> weights = floats_of(right);
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t k = 0; k < depth; ++k) {
      parameters.weights.push_back(
          double{weights[static_cast<std::size_t>(product.transpose_b ? o * depth + k : k * outputs + o)]});
    }
  }
  graph.operators[index].kind = graph::Dense{};
  set_parameters(graph, index, parameters);
}

/// The mean over height and width of an image, keeping the dimensions.
void to_pool(Graph& graph, std::size_t index) {
  Operator& op = graph.operators[index];
  const auto& reduce = std::get<graph::Reduce>(op.kind);
  const Tensor& image = graph.tensor(op.inputs[0]);
  if (reduce.kind != graph::ReduceKind::kMean || !reduce.keep_dimensions || !is_float(image) ||
      image.shape.size() != 4 || reduce.axes.size() != 2) {
    return;
  }
  const std::size_t first = graph::axis_of(reduce.axes[0], 4);
  const std::size_t second = graph::axis_of(reduce.axes[1], 4);
  if (std::min(first, second) != 1 || std::max(first, second) != 2) {
    return;
  }
  graph::Pool pool;
  pool.kind = graph::PoolKind::kAverage;
  pool.window.kernel_h = static_cast<int>(image.shape[1]);
  pool.window.kernel_w = static_cast<int>(image.shape[2]);
  op.kind = pool;
}

/// A minimum or maximum with one number becomes a clip; a division by constants, a multiplication.
void simplify_binary(Graph& graph, std::size_t index) {
  Operator& op = graph.operators[index];
  const graph::Binary binary = std::get<graph::Binary>(op.kind);
  const bool constant_first = graph.tensor(op.inputs[0]).constant != nullptr;
  const Tensor& constant = graph.tensor(op.inputs[constant_first ? 0 : 1]);
  if (!constant.constant || !is_float(constant) || !is_float(graph.tensor(op.outputs[0]))) {
    return;
  }
  std::vector<float> values = floats_of(constant);
  const graph::TensorId computed = op.inputs[constant_first ? 1 : 0];
  const bool keeps_shape = graph.tensor(computed).shape == graph.tensor(op.outputs[0]).shape;
  const bool extreme = binary.kind == graph::BinaryKind::kMinimum || binary.kind == graph::BinaryKind::kMaximum;
  if (extreme && values.size() == 1 && keeps_shape && binary.activation == Activation::kNone) {
    constexpr float kMost = std::numeric_limits<float>::max();
    const bool above = binary.kind == graph::BinaryKind::kMaximum;
    op.kind = graph::Unary{UnaryKind::kClip, above ? values[0] : -kMost, above ? kMost : values[0]};
    op.inputs = {computed};
  } else if (binary.kind == graph::BinaryKind::kDivide && !constant_first &&
             std::find(values.begin(), values.end(), 0.0F) == values.end()) {
    std::transform(values.begin(), values.end(), values.begin(), [](float value) { return 1 / value; });
    const graph::Shape shape = constant.shape;
    const graph::TensorId inverse = add_floats(graph, std::string(op.name).append("/inverse"), shape, values);
    op.kind = graph::Binary{graph::BinaryKind::kMultiply, binary.activation};
    op.inputs = {computed, inverse};
  }
}

void negation_to_product(Graph& graph, std::size_t index) {
  const std::string name = graph.operators[index].name;
  if (std::get<graph::Unary>(graph.operators[index].kind).kind == UnaryKind::kNegate &&
      is_float(graph.tensor(graph.operators[index].inputs[0]))) {
    graph.operators[index].inputs.push_back(add_floats(graph, std::string(name).append("/factor"), {1}, {-1}));
    graph.operators[index].kind = graph::Binary{graph::BinaryKind::kMultiply};
  }
}

/// The activation equivalent to the function.
std::optional<Activation> as_activation(const graph::Unary& unary) {
  // Bounds beyond any computed number.
  constexpr float kFar = 1e30F;
  switch (unary.kind) {
    case UnaryKind::kRelu: return Activation::kRelu;
    case UnaryKind::kRelu6: return Activation::kRelu6;
    case UnaryKind::kClip:
      if (unary.alpha == 0 && unary.beta >= kFar) {
        return Activation::kRelu;
      }
      if (unary.alpha == 0 && unary.beta == 6) {
        return Activation::kRelu6;
      }
      return unary.alpha == -1 && unary.beta == 1 ? std::optional(Activation::kReluN1To1) : std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

void canonicalize(Graph& graph) {
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const graph::OperatorKind& kind = graph.operators[i].kind;
    if (std::holds_alternative<graph::MatMul>(kind)) {
      to_dense(graph, i);
    } else if (std::holds_alternative<graph::Reduce>(kind)) {
      to_pool(graph, i);
    } else if (std::holds_alternative<graph::Binary>(kind)) {
      simplify_binary(graph, i);
    } else if (std::holds_alternative<graph::Unary>(kind)) {
      negation_to_product(graph, i);
    }
  }
}

void fuse_activations(Graph& graph) {
  graph::IndexedGraph indexed(graph);
  for (std::size_t i = 0; i < graph.operators.size();) {
    const auto* unary = std::get_if<graph::Unary>(&graph.operators[i].kind);
    const std::optional<Activation> activation = unary != nullptr ? as_activation(*unary) : std::nullopt;
    const std::optional<std::size_t> before =
        activation ? indexed.place_of_maker(graph.operators[i].inputs[0]) : std::nullopt;
    Activation* place = before ? activation_of(graph.operators[*before].kind) : nullptr;
    if (place == nullptr || *place != Activation::kNone || !is_float(graph.tensor(graph.operators[i].inputs[0])) ||
        !indexed.has_one_reader(graph.operators[i].inputs[0])) {
      ++i;
      continue;
    }
    *place = *activation;
    merge_into(graph, *before, i);
    indexed.update();
  }
}

Graph fold_products(Graph graph) {
  validate(graph);
  simplify(graph, kMostConstants);
  recognize_layer_normalizations(graph);
  recognize_gelus(graph, true);
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    if (std::holds_alternative<graph::MatMul>(graph.operators[i].kind)) {
      to_dense(graph, i);
    }
  }
  fold_affine(graph);
  remove_unused(graph);
  validate(graph);
  return graph;
}

Graph prepare(Graph graph) {
  validate(graph);
  simplify(graph, kMostConstants);
  recognize_layer_normalizations(graph);
  recognize_gelus(graph);
  canonicalize(graph);
  canonicalize_products(graph);
  fold_affine(graph);
  fold_factors(graph);
  affine_to_depthwise(graph);
  fuse_activations(graph);
  remove_unused(graph);
  validate(graph);
  return graph;
}

}  // namespace systole::quantizer
