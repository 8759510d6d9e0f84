// SPDX-License-Identifier: Apache-2.0
// The vector processor as a program sees it: kernel memory, vector registers and table, and what each vector operation
// does to a strip (isa/spec/pages/kernel.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model_state.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::model {

class VectorProcessor {
 public:
  explicit VectorProcessor(State& state);

  /// Writes words to the kernel memory from `entry` on; they must fit.
  void load(std::uint32_t entry, const std::vector<kernel::Word>& words);
  std::array<std::uint32_t, kernel::kTableWords>& table() { return table_; }

  /// Runs the kernel at `entry`. Throws kernel::KernelFault, and Fault for a row beyond a memory.
  void run(std::uint32_t entry, const kernel::Arguments& arguments);

 private:
  using Row = std::vector<std::uint32_t>;

  void execute(const kernel::VectorStep& step);
  void read_source(const kernel::VectorStep& step, const kernel::Field& field, kernel::Source source,
                   std::uint32_t value, int row, Row& to);
  void read_memory(const kernel::MemoryOperand& operand, int row, Row& to);
  void write_memory(const kernel::MemoryOperand& operand, int row, const Row& from);
  std::uint32_t* vector_row(std::uint32_t number, int row);

  State& state_;
  std::vector<kernel::Word> memory_;
  std::array<std::uint32_t, kernel::kTableWords> table_{};
  std::vector<std::uint32_t> vectors_;  ///< register, row, lane
};

}  // namespace systole::model
