// SPDX-License-Identifier: Apache-2.0
#include "lockstep_checker.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "systole/disassemble.hpp"

namespace systole::lockstep {
namespace {

isa::Opcode opcode_of(const isa::Instruction& instruction) {
  return static_cast<isa::Opcode>(isa::get(instruction, 0, 8));
}

constexpr std::size_t number(Memory memory) { return static_cast<std::size_t>(memory); }

}  // namespace

Checker::Checker(const Configuration& configuration, const sim::OnChip& rtl, const model::DeviceMemory& memory)
    : configuration_(configuration), memory_(memory), shadow_(configuration, rtl, memory_), stream_(configuration) {
  for (std::size_t m = 0; m < kOnChipMemories; ++m) {
    writers_[m].resize(static_cast<std::size_t>(rows_of(configuration, static_cast<Memory>(m))));
  }
}

void Checker::doorbell(std::uint32_t tail) {
  if (idle()) {
    memory_.forget();
  }
  stream_.doorbell(tail, windows(), memory_);
  listening_ = true;
}

void Checker::was_reset() {
  stream_.reset();
  memory_.forget();
  synchronized_ = false;
  listening_ = false;
  unexpected_change_.reset();
  expected_semaphores_.fill(0);
  for (auto& queue : in_flight_) {
    queue.clear();
  }
  for (auto& counts : writers_) {
    std::fill(counts.begin(), counts.end(), 0);
  }
}

void Checker::started(std::uint64_t cycle, unsigned engine, std::uint32_t index) {
  if (!listening_) {
    return;
  }
  // Not earlier: a reset may clear the memories until the first command starts.
  if (!synchronized_) {
    shadow_.synchronize();
    synchronized_ = true;
  }
  if (stream_.pass_clears(index)) {
    shadow_.clear();
  }
  const auto& waiting = stream_.waiting(engine);
  if (waiting.empty() || waiting.front() != index) {
    diverge_in_order(cycle, engine, "its engine takes a command out of order",
                     waiting.empty() ? std::nullopt : std::optional(waiting.front()), index);
  }
  stream_.take(engine);
  const isa::Instruction& instruction = *stream_.find(index);
  Command command{index, instruction, static_cast<isa::Engine>(engine), cycle,
                  footprint_of(instruction, configuration_, windows(), &shadow_.state().kernels())};
  const isa::Semaphores sem = isa::decode_semaphores(instruction);
  expected_semaphores_[sem.wait0_sem] -= sem.wait0_amount;
  expected_semaphores_[sem.wait1_sem] -= sem.wait1_amount;
  for (const ByteSpan& span : command.footprint.touched) {
    memory_.capture(span.first, static_cast<std::size_t>(span.end - span.first));
  }
  count_writers(command.footprint, +1);
  in_flight_[engine].push_back(std::move(command));
}

void Checker::retired(std::uint64_t cycle, unsigned engine, std::uint32_t index) {
  if (!listening_) {
    return;
  }
  auto& queue = in_flight_[engine];
  if (queue.empty() || queue.front().index != index) {
    diverge_in_order(cycle, engine, "its engine retires a command out of order",
                     queue.empty() ? std::nullopt : std::optional(queue.front().index), index);
  }
  const Command command = std::move(queue.front());
  queue.pop_front();
  count_writers(command.footprint, -1);
  const isa::Semaphores sem = isa::decode_semaphores(command.instruction);
  for (const auto& [semaphore, amount] :
       {std::pair{sem.signal0_sem, sem.signal0_amount}, {sem.signal1_sem, sem.signal1_amount}}) {
    if (amount != 0) {
      expected_semaphores_[semaphore] += amount;
      last_signal_[semaphore] = index;
    }
  }
  perform(command, cycle);
  compare_rows(command, cycle);
  compare_stored(command, cycle);
  std::optional<ShadowModel::Difference> beside;  // what is no row of a memory
  if (opcode_of(command.instruction) == isa::Opcode::kTable) {
    beside =
        isa::Table::decode(command.instruction).words != 0 ? shadow_.words_difference() : shadow_.table_difference();
  } else if (opcode_of(command.instruction) == isa::Opcode::kVector) {
    beside = shadow_.register_difference();
  }
  if (beside) {
    diverge(divergence_of(command, cycle, "its result differs"), *beside);
  }
  if (unexpected_change_) {
    remove_suspect(command);
  } else {
    find_unexpected_changes(command, cycle);
  }
}

void Checker::write_burst(std::uint64_t cycle, std::uint64_t address, std::uint64_t bytes) {
  const auto& stores = in_flight_[static_cast<std::size_t>(isa::Engine::kStore)];
  for (const Command& store : stores) {
    for (const ByteSpan& span : store.footprint.touched) {
      if (span.first <= address && address + bytes <= span.end) {
        return;
      }
    }
  }
  if (stores.empty()) {
    return;  // the bus edge completes the bursts of a core that was reset or has failed
  }
  Divergence divergence = divergence_of(stores.front(), cycle, "it writes where it must not");
  if (stores.size() > 1) {
    divergence.note = fmt::format("commands up to {} were under way as well", stores.back().index);
  }
  const auto& wanted = stores.front().footprint.touched;
  diverge(std::move(divergence),
          {fmt::format("device memory 0x{:x}", address),
           wanted.empty() ? "no write"
                          : fmt::format("writes from 0x{:x} to 0x{:x}", wanted.front().first, wanted.back().end - 1),
           fmt::format("a write from 0x{:x} to 0x{:x}", address, address + bytes - 1)});
}

void Checker::finished(std::uint64_t cycle) {
  if (!idle() || stream_.clears()) {
    return;  // unknown whether the last END has already cleared the memories; ended() compares then
  }
  if (unexpected_change_) {
    throw LockstepDivergence(unexpected_change_->divergence);
  }
  compare_semaphores(cycle, true);
  if (synchronized_) {
    compare_all(cycle);
  }
  stream_.remove_retired();
}

void Checker::ended(std::uint64_t cycle, std::uint32_t tag) {
  if (tag == 0 || tag != stream_.last_tag()) {
    return;
  }
  for (unsigned engine = 0; engine < kEngines; ++engine) {
    if (!in_flight_[engine].empty()) {
      diverge(divergence_of(in_flight_[engine].front(), cycle, "END was reached before it retired"),
              {"", "retired", "under way"});
    }
    if (!stream_.waiting(engine).empty()) {
      diverge_in_order(cycle, engine, "END was reached before the engine took a command",
                       stream_.waiting(engine).front(), std::nullopt);
    }
  }
  if (stream_.pass_clears(stream_.last() + 1)) {
    shadow_.clear();
    finished(cycle);
  }
}

void Checker::stuck(std::uint64_t cycle) {
  if (unexpected_change_) {
    throw LockstepDivergence(unexpected_change_->divergence);
  }
  compare_semaphores(cycle, false);
}

bool Checker::idle() const {
  for (std::size_t engine = 0; engine < kEngines; ++engine) {
    if (!in_flight_[engine].empty() || !stream_.waiting(engine).empty()) {
      return false;
    }
  }
  return true;
}

Divergence Checker::divergence_of(const Command& command, std::uint64_t cycle, std::string problem) const {
  Divergence divergence;
  divergence.problem = std::move(problem);
  divergence.index = command.index;
  divergence.engine = command.engine;
  divergence.instruction = isa::disassemble(command.instruction);
  divergence.started = command.started;
  divergence.cycle = cycle;
  return divergence;
}

void Checker::diverge(Divergence divergence, const ShadowModel::Difference& difference) {
  divergence.place = difference.place;
  divergence.expected = difference.expected;
  divergence.actual = difference.actual;
  throw LockstepDivergence(std::move(divergence));
}

/// Reports a command that was not the next one.
void Checker::diverge_in_order(std::uint64_t cycle, unsigned engine, const char* problem,
                               std::optional<std::uint32_t> expected, std::optional<std::uint32_t> actual) const {
  const auto text = [&](std::optional<std::uint32_t> index) -> std::string {
    if (!index) {
      return "no command";
    }
    const isa::Instruction* instruction = stream_.find(*index);
    return fmt::format("command {}: {}", *index,
                       instruction ? isa::disassemble(*instruction) : "none that was submitted");
  };
  Divergence divergence;
  divergence.problem = problem;
  divergence.engine = static_cast<isa::Engine>(engine);
  divergence.index = expected ? *expected : *actual;
  const isa::Instruction* instruction = stream_.find(divergence.index);
  divergence.instruction = instruction ? isa::disassemble(*instruction) : "none that was submitted";
  divergence.cycle = cycle;
  diverge(std::move(divergence), {"", text(expected), text(actual)});
}

void Checker::count_writers(const Footprint& footprint, int change) {
  for (const RowSpan& span : footprint.rows) {
    auto& counts = writers_[number(span.memory)];
    for (std::uint32_t row = span.first; row < span.end; ++row) {
      counts[row] = static_cast<std::uint8_t>(counts[row] + change);
    }
  }
}

}  // namespace systole::lockstep
