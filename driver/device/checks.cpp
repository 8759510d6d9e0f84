// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "systole/deadlock.hpp"
#include "systole/legality.hpp"
#include "systole/races.hpp"

namespace systole {

void check_deadlock(const Program& program) {
  if (const auto report = find_deadlock(program)) {
    throw ProgramRefused(*report);
  }
}

void check_program(const Program& program, const Configuration& configuration, std::uint64_t memory_bytes) {
  std::vector<isa::Instruction> commands = program.instructions;
  commands.push_back(isa::End{}.encode());
  model::Windows windows{};
  windows[0].size = static_cast<std::uint32_t>(std::min<std::uint64_t>(memory_bytes, 0xFFFF'FFC0));
  windows[0].permission = isa::kPermissionRead | isa::kPermissionWrite;
  if (const auto refusal = check_program(commands, configuration, windows)) {
    throw ProgramRefused(fmt::format("program refused in '{}': {}", program.label(refusal->index), refusal->text()));
  }
  if (const auto race = check_races(commands, configuration, windows)) {
    throw ProgramRefused(fmt::format("program refused: race between '{}' and '{}': {}", program.label(race->first),
                                     program.label(race->second), race->text()));
  }
}

}  // namespace systole
