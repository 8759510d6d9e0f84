// SPDX-License-Identifier: Apache-2.0
// Which commands have certainly committed when another one starts, on hardware whose four engines run at any speed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "systole/generated/isa.hpp"

namespace systole::analysis {

inline constexpr std::size_t kEngines = 4;

/// Number of commands of each engine that have committed. Commands of an engine are numbered from 1.
using Clock = std::array<std::uint32_t, kEngines>;

/// Engines are threads that commit in order; semaphores order them. A wait is ordered after a signal only if it could
/// not have been satisfied without it. The amount taken by the wait and by the waits certainly before it, minus
/// everything that the other engines could have signalled by then, must have come from the engine in question, whose
/// signals are in order. END orders everything.
///
/// That bound needs to know which signals come after the wait, which is this order again, so the clocks are computed
/// repeatedly, each round from the previous clocks. Every round is sound by itself: more rounds only find more order.
class Order {
 public:
  explicit Order(const std::vector<isa::Instruction>& program);

  /// Engine of a command, kEngines for END and JUMP.
  std::size_t engine(std::size_t command) const { return commands_[command].engine; }
  /// Number of a command on its engine.
  std::uint32_t number(std::size_t command) const { return commands_[command].number; }
  /// Commands that have certainly committed when this command starts. For its own engine that is all earlier commands:
  /// they may overlap with it, but their accesses come first.
  const Clock& before(std::size_t command) const { return before_[command]; }
  /// The command with a number on an engine.
  std::size_t command(std::size_t engine, std::uint32_t number) const { return by_engine_[engine][number - 1]; }

  /// Upper bound on the value of a semaphore right after a command has signalled it.
  std::uint32_t bound_after_signal(std::size_t command, int semaphore) const;

  /// True when the command that waits for a semaphore, and the commands of other engines that wait for it earlier in
  /// the program, take it in program order on the hardware too. Otherwise one could take the tokens meant for another.
  bool waits_in_order(std::size_t command, int semaphore) const;

 private:
  struct Command {
    std::size_t engine;
    std::uint32_t number;
    std::uint32_t segment;
  };
  /// A command that signals (or waits for) a semaphore, with the running sum of the amounts since the last END, its own
  /// included.
  struct Event {
    std::uint32_t number;
    std::uint32_t total;
  };
  struct Semaphore {
    std::array<std::vector<Event>, kEngines> signals;
    std::array<std::vector<Event>, kEngines> waits;
  };
  struct Segment {
    std::size_t begin;
    std::size_t end;
    Clock base;
    std::array<Semaphore, isa::kSemaphores> semaphores;
  };

  void add(Segment& segment, const isa::Instruction& instruction, std::size_t command);
  bool round(Segment& segment, const std::vector<isa::Instruction>& program);
  void join_wait(const Segment& segment, std::size_t command, int semaphore, Clock& clock) const;
  static std::uint32_t total_up_to(const std::vector<Event>& events, std::uint32_t number);
  std::uint32_t possible(const Segment& segment, int semaphore, std::size_t signaller, std::size_t engine,
                         std::uint32_t number) const;

  std::vector<Command> commands_;
  std::vector<Clock> before_;
  std::array<std::vector<std::size_t>, kEngines> by_engine_;
  std::vector<Segment> segments_;
};

}  // namespace systole::analysis
