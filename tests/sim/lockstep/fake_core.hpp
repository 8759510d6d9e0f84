// SPDX-License-Identifier: Apache-2.0
// A core without RTL for the checker: a second functional model whose memories a test can corrupt, and whose commands
// start and retire under control of the test.
#pragma once

#include <vector>

#include "handwritten_program.hpp"
#include "lockstep_checker.hpp"
#include "systole/generated/registers.hpp"
#include "systole/isa_check.hpp"

namespace systole::lockstep {

class FakeCore {
 public:
  static constexpr std::uint32_t kRing = 0x8000;  ///< as window offset

  FakeCore() : checker(kConfigurations[0], on_chip(), memory) {
    core.state().windows() = test::open_windows();
    checker.windows() = test::open_windows();
    checker.stream().set_ring_base(kRing);
    checker.stream().set_ring_config(10 << reg::kRingConfigLog2EntriesLsb);
    for (std::uint32_t i = 0; i < 0x4000; ++i) {
      const auto byte = static_cast<std::uint8_t>(i * 2654435761u >> 13);
      memory.write(i, &byte, 1);
    }
    for (std::uint16_t row = 0; row < 768; ++row) *core.state().scratch(row) = static_cast<std::int8_t>(row * 7);
  }

  /// Writes the commands into the ring and rings the doorbell.
  void submit(const test::Program& program) {
    for (const isa::Instruction& instruction : program.commands) {
      commands.push_back(instruction);
      memory.write(kRing + 64 * tail++, instruction.words.data(), 64);
    }
    checker.doorbell(tail);
  }

  void start(std::uint32_t index) { checker.started(++cycle, engine_of(index), index); }
  /// Only the effect: the command is still in flight.
  void execute(std::uint32_t index) { core.operate(commands[index]); }
  void retire(std::uint32_t index) { checker.retired(++cycle, engine_of(index), index); }
  void whole(std::uint32_t index) {
    start(index);
    execute(index);
    retire(index);
  }

  unsigned engine_of(std::uint32_t index) const {
    return static_cast<unsigned>(isa::find_instruction(commands[index])->engine);
  }
  model::State& state() { return core.state(); }

  model::SparseMemory memory{1 << 20};
  model::Machine core{kConfigurations[0], memory};
  Checker checker;
  std::vector<isa::Instruction> commands;
  std::uint32_t tail = 0;
  std::uint64_t cycle = 100;

 private:
  sim::OnChip on_chip() {
    const auto& c = kConfigurations[0];
    const auto rows = [](const void* first, int count, std::size_t bytes) {
      return sim::MemoryRows{{static_cast<const std::uint8_t*>(first)}, static_cast<std::size_t>(count), bytes};
    };
    return {rows(core.state().scratch(0), c.scratch_end(), 4),
            rows(core.state().weight(0), c.weight_rows, 4),
            rows(core.state().param(0), c.param_rows, 4),
            rows(core.state().accumulator(0), c.acc_rows, 16),
            {reinterpret_cast<const std::uint8_t*>(core.state().table().data())},
            rows(core.state().kernel_row(0), kernel::memory_rows(c.dim), 4),
            rows(core.state().vector_row(0, 0), kernel::kVectors * kernel::kStripRows, 16),
            {reinterpret_cast<const std::uint8_t*>(core.state().words().data())}};
  }
};

}  // namespace systole::lockstep
