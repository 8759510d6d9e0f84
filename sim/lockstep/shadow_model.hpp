// SPDX-License-Identifier: Apache-2.0
// The functional model next to the RTL's memories: compares rows of both.
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

class ShadowModel {
 public:
  /// A differing value, as text, and the number of differences.
  struct Difference {
    std::string place, expected, actual;
    unsigned values = 1;
  };

  ShadowModel(const Configuration& configuration, const sim::OnChip& rtl, ExpectedMemory& memory);

  /// Copies the RTL's memories to the model (random after power-on, zeros after a reset).
  void synchronize();

  /// The effect of an END that clears.
  void clear() { machine_.state().clear(); }

  /// The effect of a command on the model. Throws model::Fault.
  void perform(const isa::Instruction& instruction) { machine_.operate(instruction); }

  bool same(Memory memory, std::uint32_t row);
  /// The first value in which a row differs (a byte; an int32 in an accumulator row). Requires that it differs.
  Difference difference(Memory memory, std::uint32_t row);
  /// First differing row at or after `row`, or rows_of() if there is none.
  std::uint32_t next_difference(Memory memory, std::uint32_t row);
  std::optional<Difference> table_difference();
  /// The same in the table of words and in the vector registers.
  std::optional<Difference> words_difference();
  std::optional<Difference> register_difference();

  /// One accumulator row of the model, advanced beyond the retired command while the next commands of the matrix unit
  /// write it.
  class RowAhead {
   public:
    RowAhead(ShadowModel& shadow, std::uint32_t row);
    ~RowAhead();
    RowAhead(const RowAhead&) = delete;
    RowAhead& operator=(const RowAhead&) = delete;
    /// Executes the part of a CONV or DEPTHWISE that writes the row, tile by tile, until the row equals the RTL's
    /// (returns true) or the command is done. Otherwise sets `nearest` to the smallest difference seen.
    bool meets(const isa::Instruction& next, Difference& nearest);

   private:
    template <class Op>
    bool meets(const Op& part, Difference& nearest);
    bool meets_blocks(const isa::Conv& op, Difference& nearest);
    bool meets_now(Difference& nearest);
    ShadowModel& shadow_;
    std::uint32_t row_;
    std::vector<std::int32_t> saved_;
  };

  model::State& state() { return machine_.state(); }

 private:
  const sim::MemoryRows& rtl_rows(Memory memory) const;
  std::uint8_t* model_register(std::size_t row);
  std::uint8_t* model_row(Memory memory, std::uint32_t row);

  Configuration configuration_;
  sim::OnChip rtl_;
  model::Machine machine_;
};

/// "-12 (0xf4)"
std::string byte_text(std::uint8_t value);

}  // namespace systole::lockstep
