// SPDX-License-Identifier: Apache-2.0
// Lockstep: the functional model runs beside the RTL (BackendOptions::lockstep). The effects of each instruction are
// compared when it retires, and the first difference ends the run. See sim/lockstep/README.md.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "systole/errors.hpp"
#include "systole/generated/isa.hpp"

namespace systole {

/// The first difference between the RTL and the functional model.
struct Divergence {
  std::string problem;            ///< what differs, as a clause such as "its result differs"
  std::uint32_t index = 0;        ///< index of the command, in dispatch order since reset
  std::uint32_t first_index = 0;  ///< command index of the program's first instruction, if a Device runs the program
  isa::Engine engine = isa::Engine::kCommand;
  std::string instruction;        ///< disassembly
  std::string layer;              ///< layer that the instruction belongs to, if a Device runs the program
  std::uint64_t started = 0;      ///< cycle in which the engine took the command
  std::uint64_t cycle = 0;        ///< cycle in which the difference was detected, usually that of the retirement
  std::string place;              ///< for example "scratchpad row 17, lane 3" or "device memory 0x1040"
  std::string expected;           ///< value in the functional model
  std::string actual;             ///< value in the RTL
  std::uint64_t differences = 1;  ///< number of values that differ among the effects of the instruction
  std::string note;               ///< another possible cause, or empty

  /// All members in several lines.
  std::string text() const;
};

inline std::string Divergence::text() const {
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

/// Thrown by Device::run(), or by the Backend's function, at the first divergence. Every later use of the device throws
/// it again.
class LockstepDivergence : public ErrorOf<std::runtime_error> {
 public:
  explicit LockstepDivergence(Divergence divergence) : ErrorOf(divergence.text()), divergence_(std::move(divergence)) {}
  const Divergence& divergence() const { return divergence_; }

 private:
  Divergence divergence_;
};

}  // namespace systole
