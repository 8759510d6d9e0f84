// SPDX-License-Identifier: Apache-2.0
// The functional model beside the RTL's memories: the same place on both sides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "expected_memory.hpp"
#include "model_machine.hpp"
#include "on_chip.hpp"
#include "systole/accesses.hpp"

namespace systole::lockstep {

class Twin {
 public:
  /// A value that differs, in words, and how many do.
  struct Difference {
    std::string place, expected, actual;
    unsigned values = 1;
  };

  Twin(const Configuration& configuration, const sim::OnChip& rtl, ExpectedMemory& memory);

  /// The model takes over what is in the RTL's memories (random after power-on, zeros after a reset).
  void synchronize();

  /// The effect of an END that clears.
  void clear() { machine_.state().clear(); }

  /// The effect of a command on the model. Throws model::Fault.
  void perform(const isa::Instruction& instruction) { machine_.operate(instruction); }

  bool same(Memory memory, std::uint32_t row);
  /// The first value in which a row differs (a byte, an int32 in an accumulator row). It does differ.
  Difference difference(Memory memory, std::uint32_t row);
  /// First row at or after `row` that differs, rows_of() when none does.
  std::uint32_t next_difference(Memory memory, std::uint32_t row);
  std::optional<Difference> table_difference();

  /// One accumulator row of the model, seen on while the next commands of the matrix unit go on writing it.
  class RowAhead {
   public:
    RowAhead(Twin& twin, std::uint32_t row);
    ~RowAhead();
    RowAhead(const RowAhead&) = delete;
    RowAhead& operator=(const RowAhead&) = delete;
    /// Lets a CONV or DEPTHWISE that writes the row do so, tile by tile, until the RTL's row is met (true) or the
    /// command is done. Otherwise `nearest` becomes the smallest difference on the way.
    bool meets(const isa::Instruction& next, Difference& nearest);

   private:
    template <class Op>
    bool meets(const Op& part, Difference& nearest);
    Twin& twin_;
    std::uint32_t row_;
    std::vector<std::int32_t> saved_;
  };

  model::State& state() { return machine_.state(); }

 private:
  const sim::MemoryRows& rtl_rows(Memory memory) const;
  std::uint8_t* model_row(Memory memory, std::uint32_t row);

  Configuration configuration_;
  sim::OnChip rtl_;
  model::Machine machine_;
};

/// "-12 (0xf4)"
std::string byte_text(std::uint8_t value);

}  // namespace systole::lockstep
