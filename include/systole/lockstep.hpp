// SPDX-License-Identifier: Apache-2.0
// Lockstep: the RTL with the functional model beside it (BackendOptions::lockstep). Each instruction's effect is
// compared when it retires; the first that differs ends the run. See sim/lockstep/README.md.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "systole/errors.hpp"
#include "systole/generated/isa.hpp"

namespace systole {

/// Where the RTL and the functional model part.
struct Divergence {
  std::string problem;            ///< what differs, in a clause: "its result differs", ...
  std::uint32_t index = 0;        ///< command, counted in dispatch order since reset
  std::uint32_t first_index = 0;  ///< command index of the running program's first instruction, where a Device runs it
  isa::Engine engine = isa::Engine::kCommand;
  std::string instruction;        ///< disassembled
  std::string layer;              ///< operator that the instruction belongs to, where a Device runs the program
  std::uint64_t started = 0;      ///< cycle in which the engine took it
  std::uint64_t cycle = 0;        ///< cycle in which the difference was seen, that of the retirement as a rule
  std::string place;              ///< "scratchpad row 17, lane 3", "device memory 0x1040", ...
  std::string expected;           ///< by the functional model
  std::string actual;             ///< in the RTL
  std::uint64_t differences = 1;  ///< values of the instruction's effect that differ
  std::string note;               ///< what else could be the cause, or empty

  /// All of it, a line each.
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

/// Ends a run at the first divergence: it leaves Device::run() or the Backend's function, and every later use of the
/// device throws it again.
class LockstepDivergence : public ErrorOf<std::runtime_error> {
 public:
  explicit LockstepDivergence(Divergence divergence) : ErrorOf(divergence.text()), divergence_(std::move(divergence)) {}
  const Divergence& divergence() const { return divergence_; }

 private:
  Divergence divergence_;
};

}  // namespace systole
