// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "systole/lockstep.hpp"

namespace systole {

std::string Divergence::text() const {
  std::string text = fmt::format("lockstep: RTL and functional model diverge, {}", problem);
  const auto line = [&](const char* what, const std::string& value) {
    if (!value.empty()) {
      text += fmt::format("\n  {:<13}{}", what, value);
    }
  };
  line("layer", layer);
  line("instruction", fmt::format("command {}: {}", index - first_index, instruction));
  line("engine", isa::to_string(engine));
  line("cycle", started == 0 ? fmt::format("{}", cycle) : fmt::format("{}, the engine took it in {}", cycle, started));
  line("place", place);
  line("expected", expected);
  line("actual", actual);
  line("differences", differences > 1 ? fmt::format("{}, this is the first", differences) : std::string());
  line("note", note);
  return text;
}

}  // namespace systole
