// SPDX-License-Identifier: Apache-2.0
#include "compose_moves.hpp"

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "moves.hpp"

namespace systole::network {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 24;  // whose sources are known one by one

/// A layer that only moves bytes of its operand, in the same way on every array.
MoveLayer* plain_moves(Layer* layer) {
  auto* moves = layer == nullptr ? nullptr : std::get_if<MoveLayer>(&layer->kind);
  const bool plain = moves != nullptr && layer->inputs.size() == 1 && layer->input_parts.empty() && !moves->turns &&
                     !moves->border && layer->output_image.bytes() <= kMostBytes;
  return plain ? moves : nullptr;
}

/// Bytes that are transferred one after the other.
std::int64_t transfers(const MoveLayer& moves) {
  return std::accumulate(
      moves.parts.begin(), moves.parts.end(), std::int64_t{0},
      [](std::int64_t sum, const MoveLayer::Part& part) { return sum + part.box.outer * part.box.inner; });
}

/// Whether the second layer has become part of the first.
bool compose(Layer& first, Layer& second) {
  const MoveLayer &a = std::get<MoveLayer>(first.kind), &b = std::get<MoveLayer>(second.kind);
  const auto before = byte_sources(a, first.output_image.bytes());
  auto sources = byte_sources(b, second.output_image.bytes());
  if (!before || !sources) {
    return false;
  }
  bool moves_nothing = first.input_images[0].bytes() == second.output_image.bytes();
  for (std::size_t i = 0; i < sources->size(); ++i) {
    std::int32_t& source = (*sources)[i];
    source = (*before)[static_cast<std::size_t>(source)];
    moves_nothing = moves_nothing && source == static_cast<std::int32_t>(i);
  }
  MoveLayer both = moves_from(*sources);
  if (transfers(both) > transfers(a) + transfers(b)) {
    return false;
  }
  first.kind = std::move(both);
  if (moves_nothing) {
    first.kind = ReshapeLayer{};
  }
  first.output = second.output;
  first.output_image = second.output_image;
  absorb_behind(first, second);
  return true;
}

}  // namespace

std::int64_t compose_moves(SegmentContext& context) {
  std::int64_t composed = 0;
  for (Layer& layer : context.layers()) {
    while (plain_moves(&layer) != nullptr) {
      Layer* next = context.only_reader(layer.output);
      if (plain_moves(next) == nullptr || !compose(layer, *next)) {
        break;
      }
      ++composed;
    }
  }
  return composed;
}

}  // namespace systole::network
