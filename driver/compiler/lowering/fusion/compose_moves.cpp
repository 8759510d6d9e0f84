// SPDX-License-Identifier: Apache-2.0
#include "compose_moves.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "moves.hpp"

namespace systole::network {
namespace {

/// Whether the second layer has become part of the first.
bool compose(Layer& first, Layer& second) {
  const auto before = byte_sources(first);
  auto sources = before ? byte_sources(second) : std::nullopt;
  if (!sources) {
    return false;
  }
  bool moves_nothing = first.input_images[0].bytes() == second.output_image.bytes();
  for (std::size_t i = 0; i < sources->size(); ++i) {
    std::int32_t& source = (*sources)[i];
    source = (*before)[static_cast<std::size_t>(source)];
    moves_nothing = moves_nothing && source == static_cast<std::int32_t>(i);
  }
  MoveLayer both = moves_from(*sources);
  if (transfers(both) > transfers(std::get<MoveLayer>(first.kind)) + transfers(std::get<MoveLayer>(second.kind))) {
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
    while (std::holds_alternative<MoveLayer>(layer.kind)) {
      Layer* next = context.only_reader(layer.output);
      if (next == nullptr || !compose(layer, *next)) {
        break;
      }
      ++composed;
    }
  }
  return composed;
}

}  // namespace systole::network
