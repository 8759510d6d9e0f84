// SPDX-License-Identifier: Apache-2.0
// The comparisons of the lockstep checker.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "lockstep_checker.hpp"
#include "systole/disassemble.hpp"
#include "systole/isa_check.hpp"

namespace systole::lockstep {

/// Executes the command on the model. A LOAD must read the bytes that the RTL read.
void Checker::perform(const Command& command, std::uint64_t cycle) {
  for (const ByteSpan& span : command.footprint.loaded) {
    if (const auto d = memory_.difference(span.first, static_cast<std::size_t>(span.end - span.first))) {
      diverge(divergence_of(command, cycle, "device memory that it reads was changed by something else than a STORE"),
              {fmt::format("device memory 0x{:x}", d->address), byte_text(d->expected), byte_text(d->actual)});
    }
  }
  try {
    shadow_.perform(command.instruction);
  } catch (const model::Fault& fault) {
    diverge(divergence_of(command, cycle, "it should have failed"),
            {"", fmt::format("{} at address 0x{:x}", isa::to_string(fault.code), fault.address), "it retired"});
  }
}

void Checker::compare_rows(const Command& command, std::uint64_t cycle) {
  std::optional<ShadowModel::Difference> first;
  std::uint64_t count = 0;
  for (const RowSpan& span : command.footprint.rows) {
    for (std::uint32_t row = span.first; row < span.end; ++row) {
      if (shadow_.same(span.memory, row)) {
        continue;
      }
      ShadowModel::Difference difference = shadow_.difference(span.memory, row);
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

/// True if a row differs only because the engine's next commands, which it takes before this one has retired, have
/// begun to write it. A back-to-back CONV or DEPTHWISE has already written its first rows by then, and these must equal
/// the values it computes from the model's state. The other engines do not get that far; if they did, the row would be
/// compared when the later command retires. `difference` is set to the smallest difference from the values that the row
/// could have.
bool Checker::next_has_begun(const Command& command, Memory memory, std::uint32_t row,
                             ShadowModel::Difference& difference) {
  const auto& next = in_flight_[static_cast<std::size_t>(command.engine)];
  const auto writes = [&](const Command& later) { return later.footprint.writes(memory, row); };
  if (std::none_of(next.begin(), next.end(), writes)) {
    return false;
  }
  if (command.engine != isa::Engine::kMxu) {
    return true;
  }
  try {
    ShadowModel::RowAhead ahead(shadow_, row);
    return std::any_of(next.begin(), next.end(), [&](const Command& later) {
      return writes(later) && ahead.meets(later.instruction, difference);
    });
  } catch (const model::Fault&) {
    return false;  // the later command cannot have reached this row yet
  }
}

/// Compares device memory in whole words: the bytes next to a run must not change either.
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
      // STORE continues before the response to its previous write arrives: the byte is compared when the later STORE
      // retires.
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
        divergence_of(command, cycle, inside ? "its result differs" : "it changed a byte that it must not write");
    divergence.differences = count;
    diverge(std::move(divergence), {fmt::format("device memory 0x{:x}", first->address), byte_text(first->expected),
                                    byte_text(first->actual)});
  }
}

/// Rows that no command in flight writes must equal the model's, in every memory that the command writes.
void Checker::find_unexpected_changes(const Command& command, std::uint64_t cycle) {
  for (std::size_t m = 0; m < kOnChipMemories && !unexpected_change_; ++m) {
    const auto memory = static_cast<Memory>(m);
    if (!command.footprint.writes(memory)) {
      continue;
    }
    const auto rows = static_cast<std::uint32_t>(writers_[m].size());
    std::uint32_t row = shadow_.next_difference(memory, 0);
    while (row < rows && writers_[m][row] != 0) {
      row = shadow_.next_difference(memory, row + 1);
    }
    if (row == rows) {
      continue;
    }
    UnexpectedChange change{divergence_of(command, cycle, "a row that it does not write has changed"), {}};
    const ShadowModel::Difference difference = shadow_.difference(memory, row);
    change.divergence.place = difference.place;
    change.divergence.expected = difference.expected;
    change.divergence.actual = difference.actual;
    for (const auto& queue : in_flight_) {
      for (const Command& other : queue) {
        if (other.footprint.writes(memory)) {
          change.suspects.push_back(other.index);
          change.divergence.note += fmt::format(
              "{}{}", change.divergence.note.empty() ? "it may also have been command " : ", ", other.index);
        }
      }
    }
    unexpected_change_ = std::move(change);
  }
  if (unexpected_change_ && unexpected_change_->suspects.empty()) {
    throw LockstepDivergence(unexpected_change_->divergence);
  }
}

/// A suspect has retired with all of its own rows right.
void Checker::remove_suspect(const Command& command) {
  auto& suspects = unexpected_change_->suspects;
  suspects.erase(std::remove(suspects.begin(), suspects.end(), command.index), suspects.end());
  if (suspects.empty()) {
    throw LockstepDivergence(unexpected_change_->divergence);
  }
}

/// No command is in flight: everything on chip must equal the model.
void Checker::compare_all(std::uint64_t cycle) {
  for (std::size_t m = 0; m < kOnChipMemories; ++m) {
    const auto memory = static_cast<Memory>(m);
    const std::uint32_t row = shadow_.next_difference(memory, 0);
    if (row < writers_[m].size()) {
      Divergence divergence;
      divergence.problem = "a row differs at END that no command was to write";
      divergence.cycle = cycle;
      divergence.index = stream_.last();
      divergence.instruction = "END";
      diverge(std::move(divergence), shadow_.difference(memory, row));
    }
  }
}

/// `all_taken`: no command is waiting. Otherwise the wait of an engine's next command may already have been granted.
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
      diverge(std::move(divergence),
              {fmt::format("semaphore {}", s), fmt::format("{}", expected), fmt::format("{}", actual)});
    }
  }
}

}  // namespace systole::lockstep
