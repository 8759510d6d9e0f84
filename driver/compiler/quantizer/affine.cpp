// SPDX-License-Identifier: Apache-2.0
#include "affine.hpp"

#include <algorithm>
#include <cmath>

#include "attributes.hpp"
#include "indexed_graph.hpp"
#include "rewrite.hpp"

namespace systole::quantizer {
namespace {

using graph::BinaryKind;
using graph::Graph;
using graph::Operator;
using graph::TensorId;

/// The constant's value for each channel of `like`; none if it varies along another axis.
std::optional<std::vector<double>> per_channel(const graph::Tensor& constant, const graph::Shape& like) {
  const auto channels = static_cast<std::size_t>(like.empty() ? 1 : like.back());
  const std::vector<float> values = floats_of(constant);
  const bool along_channels = !constant.shape.empty() && !like.empty() && constant.shape.back() == like.back();
  if (values.size() != 1 && (!along_channels || values.size() != channels)) {
    return std::nullopt;
  }
  std::vector<double> result(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    result[c] = double{values[values.size() == 1 ? 0 : c]};
  }
  return result;
}

bool is_zero(double value) { return value == 0; }

bool pads(const Operator& op) {
  const auto* convolution = std::get_if<graph::Conv2d>(&op.kind);
  if (convolution == nullptr) {
    return false;
  }
  const Window& s = convolution->window;
  return s.pad_top != 0 || s.pad_bottom != 0 || s.pad_left != 0 || s.pad_right != 0;
}

/// Folds into the preceding layer if that has no other reader.
bool fold_backwards(Graph& graph, const graph::IndexedGraph& indexed, std::size_t index, const Affine& affine) {
  const std::optional<std::size_t> before = indexed.place_of_maker(affine.input);
  if (!before || !is_weighted(graph, graph.operators[*before]) || !indexed.has_one_reader(affine.input) ||
      *activation_of(graph.operators[*before].kind) != Activation::kNone) {
    return false;
  }
  Parameters p = parameters_of(graph, graph.operators[*before]);
  for (std::size_t i = 0; i < p.weights.size(); ++i) {
    p.weights[i] *= affine.factor[i / p.taps()];
  }
  for (std::size_t o = 0; o < p.outputs(); ++o) {
    p.bias[o] = p.bias[o] * affine.factor[o] + affine.summand[o];
  }
  set_parameters(graph, *before, p);
  *activation_of(graph.operators[*before].kind) = affine.activation;
  merge_into(graph, *before, index);
  return true;
}

/// Folds into all following layers.
bool fold_forwards(Graph& graph, const graph::IndexedGraph& indexed, std::size_t index, const Affine& affine) {
  const TensorId result = graph.operators[index].outputs[0];
  const std::vector<std::size_t> readers = indexed.readers(result);
  const bool adds = !std::all_of(affine.summand.begin(), affine.summand.end(), is_zero);
  const bool takes = std::all_of(readers.begin(), readers.end(), [&](std::size_t reader) {
    const Operator& op = graph.operators[reader];
    return is_weighted(graph, op) && op.inputs[0] == result && !(adds && pads(op));
  });
  // Infinity times a zero weight would be NaN.
  const bool finite =
      std::all_of(affine.summand.begin(), affine.summand.end(), [](double value) { return std::isfinite(value); });
  if (!takes || !finite || readers.empty() || indexed.is_output(result) || affine.activation != Activation::kNone) {
    return false;
  }
  for (const std::size_t reader : readers) {
    Parameters p = parameters_of(graph, graph.operators[reader]);
    for (std::size_t i = 0; i < p.weights.size(); ++i) {
      const std::size_t output = i / p.taps();
      const std::size_t channel = input_channel(graph.operators[reader], p.shape, output, i % p.taps());
      p.bias[output] += p.weights[i] * affine.summand[channel];
      p.weights[i] *= affine.factor[channel];
    }
    set_parameters(graph, reader, p);
  }
  bypass(graph, index, affine.input);
  return true;
}

/// Whether factor or summand differ between channels.
bool varies(const Affine& affine) {
  const auto differ = [](const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [&](double value) { return value != values[0]; });
  };
  return differ(affine.factor) || differ(affine.summand);
}

}  // namespace

std::optional<Affine> affine_of(const Graph& graph, const Operator& op) {
  const auto* binary = std::get_if<graph::Binary>(&op.kind);
  if (binary == nullptr || graph.tensor(op.outputs[0]).type != graph::ElementType::kFloat32) {
    return std::nullopt;
  }
  const bool constant_first = graph.tensor(op.inputs[0]).constant != nullptr;
  if (constant_first == (graph.tensor(op.inputs[1]).constant != nullptr)) {
    return std::nullopt;
  }
  Affine affine;
  affine.input = op.inputs[constant_first ? 1 : 0];
  affine.activation = binary->activation;
  const graph::Shape& shape = graph.tensor(affine.input).shape;
  const auto constant = per_channel(graph.tensor(op.inputs[constant_first ? 0 : 1]), shape);
  if (!constant || shape != graph.tensor(op.outputs[0]).shape) {
    return std::nullopt;
  }
  // A mask of minus infinity may be added; factors are finite.
  const bool adds = binary->kind == BinaryKind::kAdd || binary->kind == BinaryKind::kSubtract;
  const bool finite =
      std::all_of(constant->begin(), constant->end(), [](double value) { return std::isfinite(value); });
  if (!adds && !finite) {
    return std::nullopt;
  }
  affine.factor.assign(constant->size(), 1);
  affine.summand.assign(constant->size(), 0);
  switch (binary->kind) {
    case BinaryKind::kAdd: affine.summand = *constant; return affine;
    case BinaryKind::kSubtract:
      affine.summand = *constant;
      for (double& value : constant_first ? affine.factor : affine.summand) {
        value = -value;
      }
      return affine;
    case BinaryKind::kMultiply: affine.factor = *constant; return affine;
    case BinaryKind::kDivide:
      if (constant_first || std::any_of(constant->begin(), constant->end(), is_zero)) {
        return std::nullopt;
      }
      std::transform(constant->begin(), constant->end(), affine.factor.begin(), [](double value) { return 1 / value; });
      return affine;
    default: return std::nullopt;
  }
}

void fold_affine(Graph& graph) {
  // Each fold removes an operator, after which its neighbours may fold.
  for (bool changed = true; changed;) {
    const graph::IndexedGraph indexed(graph);
    changed = false;
    for (std::size_t i = 0; i < graph.operators.size() && !changed; ++i) {
      const std::optional<Affine> affine = affine_of(graph, graph.operators[i]);
      changed = affine && (fold_backwards(graph, indexed, i, *affine) || fold_forwards(graph, indexed, i, *affine));
    }
  }
}

void affine_to_depthwise(Graph& graph) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < graph.operators.size() && !changed; ++i) {
      const std::optional<Affine> affine = affine_of(graph, graph.operators[i]);
      if (!affine || !varies(*affine) || graph.tensor(affine->input).shape.size() != 4) {
        continue;
      }
      const auto channels = static_cast<std::int64_t>(affine->factor.size());
      graph::Conv2d convolution;
      convolution.groups = static_cast<int>(channels);
      convolution.activation = affine->activation;
      graph.operators[i].kind = convolution;
      graph.operators[i].inputs = {affine->input};
      set_parameters(graph, i, {{channels, 1, 1, 1}, affine->factor, affine->summand});
      fold_affine(graph);
      changed = true;
    }
  }
}

}  // namespace systole::quantizer
