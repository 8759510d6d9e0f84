// SPDX-License-Identifier: Apache-2.0
// Turns dependencies between engines into semaphores.
//
// Semaphore 4*f + e belongs to producers on engine f and consumers on engine e. Engines commit in order, so waiting for
// an instruction means waiting for all before it on its engine, and everything those had waited for; a clock per engine
// keeps what is known that way. A wait is made only for a producer that is not known to have committed, hence the
// producers of one pair's waits follow each other and the k-th signal serves the k-th wait.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "timing.hpp"

namespace systole::compiler {

class Synchronizer {
 public:
  struct Result {
    std::vector<isa::Instruction> instructions;
    std::vector<Event> events;  ///< with the SYNC instructions, indices into `instructions`
    std::vector<std::uint16_t> labels;
    int syncs = 0;
  };

  static constexpr int kMaxAhead = 200;  ///< signals of a pair that may be given and not yet taken

  /// Appends the next instruction in program order. `event.after` holds values that append() returned. Returns the
  /// number by which later instructions name this one.
  int append(const isa::Instruction& instruction, const Event& event, std::uint16_t label);

  /// Writes waits and signals into the instructions, with SYNC instructions where two do not suffice.
  Result finish();

 private:
  using Clock = std::array<int, kEngines>;  ///< per engine, instructions known to have committed

  struct Entry {
    isa::Instruction instruction;
    Event event;
    std::uint16_t label = 0;
    int sequence = 0;          ///< position on its engine, from 1
    Clock known{};             ///< when it starts
    std::vector<int> waits;    ///< engines of producers
    std::vector<int> signals;  ///< engines of consumers
  };

  int push(Entry entry);
  void wait(Entry& entry, int producer);
  int ahead(int producer, int consumer_engine) const;
  int bring_up_to_date(int from, int to, std::uint16_t label);

  std::vector<Entry> entries_;
  std::array<Clock, kEngines> clocks_{};
  std::array<int, kEngines> count_{};
  std::array<int, kEngines> last_ = {-1, -1, -1, -1};
  /// Per pair [producer][consumer]: sequence numbers of the instructions that signal and that wait.
  std::array<std::array<std::vector<int>, kEngines>, kEngines> signalled_;
  std::array<std::array<std::vector<int>, kEngines>, kEngines> waited_;
};

}  // namespace systole::compiler
