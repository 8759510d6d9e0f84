// SPDX-License-Identifier: Apache-2.0
#include "program_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "systole/deadlock.hpp"
#include "systole/legality.hpp"
#include "systole/races.hpp"

namespace systole {
namespace {

/// " in 'conv1'", " in 'conv1' and 'pool1'", or an empty text for a program without labels (such as a handwritten one).
std::string in_labels(const std::string& first, const std::string& second) {
  if (first.empty()) {
    return {};
  }
  return first == second ? fmt::format(" in '{}'", first) : fmt::format(" in '{}' and '{}'", first, second);
}

/// Device memory as the program finds it: its constants may not have been copied to the device yet.
void read_before(const Program& program, const Backend& device, std::uint64_t address, std::size_t bytes,
                 std::uint8_t* to) {
  device.read_memory(address, to, bytes);
  for (const Program::Constant& constant : program.constants) {
    const std::uint64_t first = program.windows()[kConstantsWindow].base + constant.offset;
    const std::uint64_t begin = std::max(first, address),
                        end = std::min(first + constant.bytes.size(), address + bytes);
    if (begin < end) {
      std::memcpy(to + (begin - address), constant.bytes.data() + (begin - first), end - begin);
    }
  }
}

}  // namespace

void check_deadlock(const Program& program) {
  if (const auto report = find_deadlock(program)) {
    throw ProgramRefused(*report);
  }
}

void check_program(const Program& program, const Configuration& configuration, const Backend& device) {
  std::vector<isa::Instruction> commands = program.instructions;
  commands.push_back(isa::End{}.encode());
  const AddressWindows windows = program.windows();
  const KnownMemory known{[&](std::uint64_t address, std::size_t bytes, void* to) {
                            read_before(program, device, address, bytes, static_cast<std::uint8_t*>(to));
                            return true;
                          },
                          {}};
  if (const auto refusal = check_program(commands, configuration, windows, known)) {
    const std::string label = program.label(refusal->index);
    throw ProgramRefused(fmt::format("program refused{}: {}", in_labels(label, label), refusal->text()));
  }
  if (const auto race = check_races(commands, configuration, windows, known)) {
    throw ProgramRefused(fmt::format(
        "program refused{}: {}\n  what to do: signal a semaphore in the first command and wait for it in the second",
        in_labels(program.label(race->first), program.label(race->second)), race->text()));
  }
}

}  // namespace systole
