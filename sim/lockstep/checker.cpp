// SPDX-License-Identifier: Apache-2.0
#include "lockstep/checker.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "systole/disassemble.hpp"
#include "systole/isa_check.hpp"

namespace systole::lockstep {
namespace {

isa::Opcode opcode_of(const isa::Instruction& instruction) { return static_cast<isa::Opcode>(isa::get(instruction, 0, 8)); }

constexpr std::size_t number(model::Memory memory) { return static_cast<std::size_t>(memory); }

}  // namespace

Checker::Checker(const Configuration& configuration, const sim::OnChip& rtl, const model::DeviceMemory& memory)
    : configuration_(configuration), memory_(memory), twin_(configuration, rtl, memory_), stream_(configuration.dim) {
  for (std::size_t m = 0; m < kOnChipMemories; ++m) {
    writers_[m].resize(static_cast<std::size_t>(model::rows_of(configuration, static_cast<model::Memory>(m))));
  }
}

void Checker::doorbell(std::uint32_t tail) {
  if (idle()) {
    memory_.forget();
    if (!synchronized_) {
      twin_.synchronize();
      synchronized_ = true;
    }
  }
  stream_.doorbell(tail, windows(), memory_);
}

void Checker::was_reset() {
  stream_.reset();
  memory_.forget();
  synchronized_ = false;
  stray_.reset();
  expected_semaphores_.fill(0);
  for (auto& queue : in_flight_) {
    queue.clear();
  }
  for (auto& counts : writers_) {
    std::fill(counts.begin(), counts.end(), 0);
  }
}

void Checker::started(std::uint64_t cycle, unsigned engine, std::uint32_t index) {
  const auto& waiting = stream_.waiting(engine);
  if (waiting.empty() || waiting.front() != index) {
    diverge_in_order(cycle, engine, index, "takes", waiting.empty() ? std::nullopt : std::optional(waiting.front()));
  }
  stream_.take(engine);
  const isa::Instruction& instruction = *stream_.find(index);
  Command command{index, instruction, static_cast<isa::Engine>(engine), cycle,
                  footprint_of(instruction, configuration_, windows(), memory_.size())};
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
  auto& queue = in_flight_[engine];
  if (queue.empty() || queue.front().index != index) {
    diverge_in_order(cycle, engine, index, "retires", queue.empty() ? std::nullopt : std::optional(queue.front().index));
  }
  const Command command = std::move(queue.front());
  queue.pop_front();
  count_writers(command.footprint, -1);
  const isa::Semaphores sem = isa::decode_semaphores(command.instruction);
  for (const auto& [semaphore, amount] : {std::pair{sem.signal0_sem, sem.signal0_amount}, {sem.signal1_sem, sem.signal1_amount}}) {
    if (amount != 0) {
      expected_semaphores_[semaphore] += amount;
      last_signal_[semaphore] = index;
    }
  }
  perform(command, cycle);
  compare_rows(command, cycle);
  compare_stored(command, cycle);
  if (opcode_of(command.instruction) == isa::Opcode::kTable) {
    if (const auto difference = twin_.table_difference()) {
      diverge(divergence_of(command, cycle, "its result differs"), *difference);
    }
  }
  if (stray_) {
    clear_of_suspicion(command);
  } else {
    look_for_strays(command, cycle);
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
    return;  // the bus edge finishes the bursts of a core that is reset or has failed
  }
  Divergence divergence = divergence_of(stores.front(), cycle, "it writes where it must not");
  if (stores.size() > 1) {
    divergence.note = fmt::format("commands up to {} were under way as well", stores.back().index);
  }
  const auto& wanted = stores.front().footprint.touched;
  diverge(std::move(divergence),
          {fmt::format("device memory 0x{:x}", address),
           wanted.empty() ? "no write" : fmt::format("writes from 0x{:x} to 0x{:x}", wanted.front().first, wanted.back().end - 1),
           fmt::format("a write from 0x{:x} to 0x{:x}", address, address + bytes - 1)});
}

void Checker::finished(std::uint64_t cycle) {
  if (!idle()) {
    if (stream_.ends() > 1) {
      return;  // of several programs the first has ended
    }
    for (std::size_t engine = 0; engine < kEngines; ++engine) {
      if (!in_flight_[engine].empty()) {
        diverge(divergence_of(in_flight_[engine].front(), cycle, "END was reached before it retired"), {"", "retired", "under way"});
      }
      if (!stream_.waiting(engine).empty()) {
        diverge_in_order(cycle, static_cast<unsigned>(engine), stream_.waiting(engine).front(), "has not taken, and END was reached,",
                         stream_.waiting(engine).front());
      }
    }
  }
  if (stray_) {
    throw LockstepDivergence(stray_->divergence);
  }
  compare_semaphores(cycle, true);
  compare_all(cycle);
  stream_.forget_done();
}

void Checker::stuck(std::uint64_t cycle) {
  if (stray_) {
    throw LockstepDivergence(stray_->divergence);
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

void Checker::diverge(Divergence divergence, const Twin::Difference& difference) {
  divergence.place = difference.place;
  divergence.expected = difference.expected;
  divergence.actual = difference.actual;
  throw LockstepDivergence(std::move(divergence));
}

/// An engine did something with another command than the one whose turn it was.
void Checker::diverge_in_order(std::uint64_t cycle, unsigned engine, std::uint32_t index, const char* did,
                               std::optional<std::uint32_t> expected) const {
  const auto text = [&](std::uint32_t i) {
    const isa::Instruction* instruction = stream_.find(i);
    return fmt::format("command {}: {}", i, instruction ? isa::disassemble(*instruction) : "none that was submitted");
  };
  const isa::Instruction* instruction = stream_.find(expected.value_or(index));
  Divergence divergence;
  divergence.engine = static_cast<isa::Engine>(engine);
  divergence.problem = fmt::format("{} {} a command out of order", isa::to_string(divergence.engine), did);
  divergence.index = expected.value_or(index);
  divergence.instruction = instruction ? isa::disassemble(*instruction) : "none that was submitted";
  divergence.cycle = cycle;
  diverge(std::move(divergence), {"", expected ? text(*expected) : "no command", text(index)});
}

/// The command on the model. A LOAD must find the bytes that the RTL found.
void Checker::perform(const Command& command, std::uint64_t cycle) {
  for (const ByteSpan& span : command.footprint.loaded) {
    if (const auto d = memory_.difference(span.first, static_cast<std::size_t>(span.end - span.first))) {
      diverge(divergence_of(command, cycle, "device memory that it reads was changed by something else than a STORE"),
              {fmt::format("device memory 0x{:x}", d->address), byte_text(d->expected), byte_text(d->actual)});
    }
  }
  try {
    twin_.perform(command.instruction);
  } catch (const model::Fault& fault) {
    diverge(divergence_of(command, cycle, "it should have failed"),
            {"", fmt::format("{} at address 0x{:x}", isa::to_string(fault.code), fault.address), "it retired"});
  }
}

void Checker::compare_rows(const Command& command, std::uint64_t cycle) {
  std::optional<Twin::Difference> first;
  std::uint64_t count = 0;
  for (const RowSpan& span : command.footprint.rows) {
    for (std::uint32_t row = span.first; row < span.end; ++row) {
      if (twin_.same(span.memory, row)) {
        continue;
      }
      Twin::Difference difference = twin_.difference(span.memory, row);
      if (next_has_begun(command, span.memory, row, difference)) {
        continue;
      }
      count += difference.values;
      if (!first) {
        first = std::move(difference);
      }
    }
  }
  if (first) {
    Divergence divergence = divergence_of(command, cycle, "its result differs");
    divergence.differences = count;
    diverge(std::move(divergence), *first);
  }
}

/// True when a row differs only because the engine's next commands, which it takes before this one has retired, have begun to
/// write it. A CONV that follows without a gap has by then written its first rows, and they must hold what it makes of the
/// model's. The other engines do not come that far; should they, the row is compared when the later command retires.
/// `difference` becomes that to the nearest of what the row could hold.
bool Checker::next_has_begun(const Command& command, model::Memory memory, std::uint32_t row, Twin::Difference& difference) {
  const auto& next = in_flight_[static_cast<std::size_t>(command.engine)];
  const auto writes = [&](const Command& later) { return later.footprint.writes(memory, row); };
  if (std::none_of(next.begin(), next.end(), writes)) {
    return false;
  }
  if (command.engine != isa::Engine::kMxu) {
    return true;
  }
  try {
    Twin::RowAhead ahead(twin_, row);
    return std::any_of(next.begin(), next.end(), [&](const Command& later) {
      return writes(later) && ahead.meets(isa::Conv::decode(later.instruction), difference);
    });
  } catch (const model::Fault&) {
    return false;  // the later command cannot have come that far
  }
}

/// Device memory in whole words: the bytes beside a run must not change either.
void Checker::compare_stored(const Command& command, std::uint64_t cycle) {
  const auto& later = in_flight_[static_cast<std::size_t>(isa::Engine::kStore)];
  std::optional<ExpectedMemory::Difference> first;
  std::uint64_t count = 0;
  for (const ByteSpan& span : command.footprint.touched) {
    for (std::uint64_t at = span.first; at < span.end;) {
      const auto d = memory_.difference(at, static_cast<std::size_t>(span.end - at));
      if (!d) {
        break;
      }
      at = d->address + 1;
      // STORE writes on before the response to what it wrote has come: the byte is compared when the later STORE retires.
      if (std::any_of(later.begin(), later.end(), [&](const Command& c) { return c.footprint.stores(d->address); })) {
        continue;
      }
      first = first ? first : d;
      ++count;
    }
  }
  if (first) {
    const bool inside = command.footprint.stores(first->address);
    Divergence divergence =
        divergence_of(command, cycle, inside ? "its result differs" : "it changed a byte beside those that it writes");
    divergence.differences = count;
    diverge(std::move(divergence),
            {fmt::format("device memory 0x{:x}", first->address), byte_text(first->expected), byte_text(first->actual)});
  }
}

/// Rows that no command under way writes must be as the model has them, in every memory that the command writes.
void Checker::look_for_strays(const Command& command, std::uint64_t cycle) {
  for (std::size_t m = 0; m < kOnChipMemories && !stray_; ++m) {
    const auto memory = static_cast<model::Memory>(m);
    if (!command.footprint.writes(memory)) {
      continue;
    }
    const auto rows = static_cast<std::uint32_t>(writers_[m].size());
    std::uint32_t row = twin_.next_difference(memory, 0);
    while (row < rows && writers_[m][row] != 0) {
      row = twin_.next_difference(memory, row + 1);
    }
    if (row == rows) {
      continue;
    }
    Stray stray{divergence_of(command, cycle, "a row that it does not write has changed"), {}};
    const Twin::Difference difference = twin_.difference(memory, row);
    stray.divergence.place = difference.place;
    stray.divergence.expected = difference.expected;
    stray.divergence.actual = difference.actual;
    for (const auto& queue : in_flight_) {
      for (const Command& other : queue) {
        if (other.footprint.writes(memory)) {
          stray.suspects.push_back(other.index);
          stray.divergence.note += fmt::format("{}{}", stray.divergence.note.empty() ? "it may also have been command " : ", ", other.index);
        }
      }
    }
    stray_ = std::move(stray);
  }
  if (stray_ && stray_->suspects.empty()) {
    throw LockstepDivergence(stray_->divergence);
  }
}

/// A suspect has retired with all its own rows right.
void Checker::clear_of_suspicion(const Command& command) {
  auto& suspects = stray_->suspects;
  suspects.erase(std::remove(suspects.begin(), suspects.end(), command.index), suspects.end());
  if (suspects.empty()) {
    throw LockstepDivergence(stray_->divergence);
  }
}

/// Nothing is under way: everything on chip is as in the model.
void Checker::compare_all(std::uint64_t cycle) {
  for (std::size_t m = 0; m < kOnChipMemories; ++m) {
    const auto memory = static_cast<model::Memory>(m);
    const std::uint32_t row = twin_.next_difference(memory, 0);
    if (row < writers_[m].size()) {
      Divergence divergence;
      divergence.problem = "a row differs at END that no command was to write";
      divergence.cycle = cycle;
      divergence.index = stream_.last();
      divergence.instruction = "END";
      diverge(std::move(divergence), twin_.difference(memory, row));
    }
  }
}

void Checker::count_writers(const Footprint& footprint, int change) {
  for (const RowSpan& span : footprint.rows) {
    auto& counts = writers_[number(span.memory)];
    for (std::uint32_t row = span.first; row < span.end; ++row) {
      counts[row] = static_cast<std::uint8_t>(counts[row] + change);
    }
  }
}

/// `all_taken`: no command waits. Otherwise the wait of an engine's next command may have been granted already.
void Checker::compare_semaphores(std::uint64_t cycle, bool all_taken) {
  for (std::size_t s = 0; s < semaphores_.size(); ++s) {
    int granted = 0;
    for (std::size_t engine = 0; engine < kEngines && !all_taken; ++engine) {
      if (!stream_.waiting(engine).empty()) {
        const isa::Semaphores sem = isa::decode_semaphores(*stream_.find(stream_.waiting(engine).front()));
        granted += (sem.wait0_sem == s ? sem.wait0_amount : 0) + (sem.wait1_sem == s ? sem.wait1_amount : 0);
      }
    }
    const int expected = expected_semaphores_[s], actual = semaphores_[s];
    if (actual > expected || actual < expected - granted) {
      Divergence divergence;
      divergence.problem = "a semaphore differs";
      divergence.index = last_signal_[s];
      const isa::Instruction* last = stream_.find(last_signal_[s]);
      divergence.instruction = last ? isa::disassemble(*last) : "";
      divergence.engine = last ? isa::find_instruction(*last)->engine : isa::Engine::kCommand;
      divergence.cycle = cycle;
      divergence.note = "the command is the last that signalled it";
      diverge(std::move(divergence), {fmt::format("semaphore {}", s), fmt::format("{}", expected), fmt::format("{}", actual)});
    }
  }
}

}  // namespace systole::lockstep
