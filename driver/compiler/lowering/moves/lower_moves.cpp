// SPDX-License-Identifier: Apache-2.0
#include "lower_moves.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bytes.hpp"
#include "moves.hpp"
#include "quantized_types.hpp"
#include "word_transposition.hpp"

namespace systole::network {
namespace {

using graph::Graph;
using graph::Operator;
using graph::Tensor;

/// Whether the result equals the input byte by byte, as when an axis of length 1 is transposed.
bool changes_nothing(const MoveLayer& moves, const Layer& layer) {
  const compiler::ByteBox& box = moves.parts.at(0).box;
  return moves.parts.size() == 1 && layer.inputs.size() == 1 && !box.fill && box.from == 0 &&
         box.outer * box.inner == 1 && box.bytes == layer.input_images[0].bytes() &&
         box.bytes == layer.output_image.bytes();
}

/// Padding of images with one value on all sides.
std::optional<MoveLayer::Border> border_of(const Graph& graph, const Operator& op, const MoveLayer& moves) {
  const auto* pad = std::get_if<graph::Pad>(&op.kind);
  if (pad == nullptr || pad->mode != graph::Pad::Mode::kConstant || graph.tensor(op.inputs[0]).shape.size() != 4) {
    return std::nullopt;
  }
  const auto negative = [](std::int64_t size) { return size < 0; };
  const auto other_axis = [](const std::vector<std::int64_t>& sizes) { return sizes[0] != 0 || sizes[3] != 0; };
  if (std::any_of(pad->before.begin(), pad->before.end(), negative) ||
      std::any_of(pad->after.begin(), pad->after.end(), negative) || other_axis(pad->before) ||
      other_axis(pad->after)) {
    return std::nullopt;
  }
  const auto filled = std::find_if(moves.parts.begin(), moves.parts.end(),
                                   [](const MoveLayer::Part& part) { return part.box.fill.has_value(); });
  if (filled == moves.parts.end()) {
    return std::nullopt;
  }
  const auto size = [](std::int64_t value) { return static_cast<int>(value); };
  return MoveLayer::Border{size(pad->before[1]), size(pad->after[1]), size(pad->before[2]), size(pad->after[2]),
                           *filled->box.fill};
}

/// Computed operands become inputs of the layer, constant operands part of it.
void take_operands(const Graph& graph, const Operator& op, MoveLayer& moves, Layer& layer) {
  std::vector<MoveLayer::Part> parts = moves.parts;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const Tensor& tensor = graph.tensor(op.inputs[i]);
    const bool used = std::any_of(moves.parts.begin(), moves.parts.end(),
                                  [&](const MoveLayer::Part& part) { return part.input == static_cast<int>(i); });
    if (!used) {  // indices
      continue;
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (moves.parts[k].input == static_cast<int>(i)) {
        parts[k].input = tensor.constant ? 0 : static_cast<int>(layer.inputs.size());
        parts[k].constant = tensor.constant && !parts[k].box.fill ? static_cast<int>(moves.constants.size()) : -1;
      }
    }
    if (tensor.constant) {
      moves.constants.push_back(*tensor.constant);
      toggle(tensor.type, moves.constants.back());
    } else {
      layer.inputs.push_back(op.inputs[i]);
      layer.input_images.push_back(image_of(tensor));
    }
  }
  moves.parts = std::move(parts);
}

}  // namespace

std::variant<std::vector<Layer>, OnHost> lower_moves(const Graph& graph, const Operator& op) {
  constexpr std::size_t kMostBoxes = 4096;  // two instructions each
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    const Tensor& output = graph.tensor(op.outputs[i]);
    Layer layer;
    layer.name = op.outputs.size() == 1 ? op.name : fmt::format("{}/{}", op.name, i);
    layer.output = op.outputs[i];
    layer.output_image = image_of(output);
    MoveLayer moves = moves_of(graph, op, i);
    moves.border = border_of(graph, op, moves);
    if (const auto* transpose = std::get_if<graph::Transpose>(&op.kind)) {
      const graph::Tensor& operand = graph.tensor(op.inputs[0]);
      if (is_byte(output.type)) {
        moves.transposition = {operand.shape, transpose->permutation};
      } else if (graph::element_size(output.type) == compiler::kWordPlanes && !operand.constant) {
        moves.words = word_transposition(operand.shape, transpose->permutation);
      }
    }
    take_operands(graph, op, moves, layer);
    if (moves.parts.size() > kMostBoxes) {
      return OnHost{fmt::format("{} boxes of bytes to move; at most {} are supported", moves.parts.size(), kMostBoxes)};
    }
    if (changes_nothing(moves, layer)) {
      layer.kind = ReshapeLayer{};
    } else {
      layer.kind = std::move(moves);
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace systole::network
