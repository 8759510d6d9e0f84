// SPDX-License-Identifier: Apache-2.0
// Turns dependencies between engines into semaphores.
//
// Semaphore 4*f + e belongs to producers on engine f and consumers on engine e. Engines commit in order, so waiting for
// an instruction means waiting for all earlier ones on its engine, and for everything those had waited for; a vector
// clock per engine records this. A wait is created only for a producer that is not known to have committed, so the
// producers of a pair's waits are in order and the k-th signal serves the k-th wait.
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
    std::vector<Event> events;  ///< including the SYNC instructions; dependencies are indices into `instructions`
    std::vector<std::uint16_t> labels;
    int syncs = 0;
  };

  static constexpr int kMaxAhead = 200;  ///< maximum number of pending signals of a pair

  /// Appends the next instruction in program order. `event.after` holds values returned by append(). Returns the number
  /// by which later instructions refer to this one.
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
    Clock known{};             ///< clock when it starts
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
  /// Per pair [producer][consumer]: sequence numbers of the signalling and of the waiting instructions.
  std::array<std::array<std::vector<int>, kEngines>, kEngines> signalled_;
  std::array<std::array<std::vector<int>, kEngines>, kEngines> waited_;
};

}  // namespace systole::compiler
