// SPDX-License-Identifier: Apache-2.0
#include "turn_words.hpp"

namespace systole::network {

std::int64_t turn_words(SegmentContext& context) {
  const bool can = context.configuration.dim > compiler::kWordPlanes && context.configuration.has(Part::kTurningLoads);
  std::int64_t turned = 0;
  for (Layer& layer : context.layers()) {
    if (auto* moves = std::get_if<MoveLayer>(&layer.kind); can && moves != nullptr && moves->words) {
      moves->turns = true;
      ++turned;
    }
  }
  return turned;
}

}  // namespace systole::network
