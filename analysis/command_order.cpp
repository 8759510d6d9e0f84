// SPDX-License-Identifier: Apache-2.0
#include "command_order.hpp"

#include <algorithm>

#include "systole/isa_check.hpp"

namespace systole::analysis {
namespace {

constexpr int kMostRounds = 8;

void join(Clock& clock, const Clock& other) {
  for (std::size_t e = 0; e < kEngines; ++e) {
    clock[e] = std::max(clock[e], other[e]);
  }
}

template <typename Use>
void for_each_wait(const isa::Semaphores& s, Use use) {
  if (s.wait0_amount) {
    use(s.wait0_sem, s.wait0_amount);
  }
  if (s.wait1_amount) {
    use(s.wait1_sem, s.wait1_amount);
  }
}

template <typename Use>
void for_each_signal(const isa::Semaphores& s, Use use) {
  if (s.signal0_amount) {
    use(s.signal0_sem, s.signal0_amount);
  }
  if (s.signal1_amount) {
    use(s.signal1_sem, s.signal1_amount);
  }
}

std::size_t engine_of(const isa::Instruction& instruction) {
  const isa::InstructionInfo* info = isa::find_instruction(instruction);
  return info ? std::min(static_cast<std::size_t>(info->engine), kEngines) : kEngines;
}

bool is_end(const isa::Instruction& instruction) {
  return isa::get(instruction, 0, 8) == static_cast<std::uint32_t>(isa::Opcode::kEnd);
}

}  // namespace

Order::Order(const std::vector<isa::Instruction>& program) : before_(program.size()) {
  commands_.reserve(program.size());
  Clock base{};
  for (std::size_t begin = 0; begin < program.size();) {
    segments_.push_back({begin, begin, base, {}});
    Segment& segment = segments_.back();
    bool ended = false;
    for (; segment.end < program.size() && !ended; ++segment.end) {
      ended = is_end(program[segment.end]);
      add(segment, program[segment.end], segment.end);
    }
    for (int r = 0; r < kMostRounds && round(segment, program); ++r) {}
    for (std::size_t e = 0; e < kEngines; ++e) {
      base[e] = static_cast<std::uint32_t>(by_engine_[e].size());
    }
    begin = segment.end;
  }
}

/// Records a command and its semaphore events.
void Order::add(Segment& segment, const isa::Instruction& instruction, std::size_t command) {
  const std::size_t engine = engine_of(instruction);
  std::uint32_t number = 0;
  if (engine < kEngines) {
    by_engine_[engine].push_back(command);
    number = static_cast<std::uint32_t>(by_engine_[engine].size());
    const auto note = [&](std::vector<Event>& events, std::uint32_t amount) {
      events.push_back({number, (events.empty() ? 0 : events.back().total) + amount});
    };
    const isa::Semaphores s = isa::decode_semaphores(instruction);
    for_each_wait(s, [&](std::size_t semaphore, std::uint32_t amount) {
      note(segment.semaphores[semaphore].waits[engine], amount);
    });
    for_each_signal(s, [&](std::size_t semaphore, std::uint32_t amount) {
      note(segment.semaphores[semaphore].signals[engine], amount);
    });
  }
  commands_.push_back({engine, number, static_cast<std::uint32_t>(segments_.size() - 1)});
}

/// Recomputes the clocks of a segment. Returns true if one changed.
bool Order::round(Segment& segment, const std::vector<isa::Instruction>& program) {
  bool changed = false;
  std::array<Clock, kEngines> current;
  current.fill(segment.base);
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    const std::size_t engine = commands_[i].engine;
    if (engine == kEngines) {
      continue;
    }
    Clock& clock = current[engine];
    clock[engine] = commands_[i].number - 1;
    for_each_wait(isa::decode_semaphores(program[i]),
                  [&](int semaphore, std::uint32_t) { join_wait(segment, i, semaphore, clock); });
    changed = changed || clock != before_[i];
    before_[i] = clock;
  }
  return changed;
}

/// Sum of the events up to a command.
std::uint32_t Order::total_up_to(const std::vector<Event>& events, std::uint32_t number) {
  const auto after = std::upper_bound(events.begin(), events.end(), number,
                                      [](std::uint32_t n, const Event& e) { return n < e.number; });
  return after == events.begin() ? 0 : std::prev(after)->total;
}

/// Upper bound on what `signaller` can have signalled by the time command `number` of `engine` starts (for signals:
/// commits): everything except what certainly comes later.
std::uint32_t Order::possible(const Segment& segment, int semaphore, std::size_t signaller, std::size_t engine,
                              std::uint32_t number) const {
  const auto& events = segment.semaphores[static_cast<std::size_t>(semaphore)].signals[signaller];
  const auto later = std::partition_point(events.begin(), events.end(), [&](const Event& e) {
    return before_[command(signaller, e.number)][engine] < number;
  });
  return later == events.begin() ? 0 : std::prev(later)->total;
}

void Order::join_wait(const Segment& segment, std::size_t i, int semaphore, Clock& clock) const {
  const auto [engine, number, unused] = commands_[i];
  const Semaphore& s = segment.semaphores[static_cast<std::size_t>(semaphore)];
  std::uint32_t demand = 0;
  for (std::size_t e = 0; e < kEngines; ++e) {
    demand += total_up_to(s.waits[e], e == engine ? number : clock[e]);
  }
  std::array<std::uint32_t, kEngines> most;
  std::uint32_t sum = 0;
  for (std::size_t e = 0; e < kEngines; ++e) {
    most[e] = e == engine ? total_up_to(s.signals[e], number - 1) : possible(segment, semaphore, e, engine, number);
    sum += most[e];
  }
  for (std::size_t e = 0; e < kEngines; ++e) {
    const std::uint32_t others = sum - most[e];
    if (e == engine || demand <= others) {
      continue;
    }
    const auto& events = s.signals[e];
    const auto needed = std::lower_bound(events.begin(), events.end(), demand - others,
                                         [](const Event& event, std::uint32_t amount) { return event.total < amount; });
    if (needed != events.end()) {
      const std::size_t signal = command(e, needed->number);
      join(clock, before_[signal]);
      clock[e] = std::max(clock[e], needed->number);
    }
  }
}

std::uint32_t Order::bound_after_signal(std::size_t i, int semaphore) const {
  const auto [engine, number, segment_index] = commands_[i];
  const Segment& segment = segments_[segment_index];
  const Semaphore& s = segment.semaphores[static_cast<std::size_t>(semaphore)];
  std::uint32_t given = 0;
  std::uint32_t taken = 0;
  for (std::size_t e = 0; e < kEngines; ++e) {
    given += e == engine ? total_up_to(s.signals[e], number) : possible(segment, semaphore, e, engine, number);
    taken += total_up_to(s.waits[e], e == engine ? number : before_[i][e]);
  }
  return given - std::min(given, taken);
}

bool Order::waits_in_order(std::size_t i, int semaphore) const {
  const auto [engine, number, segment_index] = commands_[i];
  const Semaphore& s = segments_[segment_index].semaphores[static_cast<std::size_t>(semaphore)];
  for (std::size_t e = 0; e < kEngines; ++e) {
    if (e == engine) {
      continue;
    }
    // The last earlier wait of that engine in program order.
    const auto& waits = s.waits[e];
    const auto later =
        std::partition_point(waits.begin(), waits.end(), [&](const Event& w) { return command(e, w.number) < i; });
    if (later != waits.begin() && before_[i][e] < std::prev(later)->number) {
      return false;
    }
  }
  return true;
}

}  // namespace systole::analysis
