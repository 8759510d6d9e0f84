// SPDX-License-Identifier: Apache-2.0
// The vector processor: what each vector operation of a kernel does to a strip (isa/spec/pages/kernel.md).
#pragma once

#include <cstdint>
#include <vector>

#include "model_state.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::model {

class VectorProcessor {
 public:
  explicit VectorProcessor(State& state) : state_(state) {}

  /// Runs the kernel at `entry`. Throws kernel::KernelFault, and Fault for a row beyond a memory.
  void run(std::uint32_t entry, const kernel::Arguments& arguments);

 private:
  using Row = std::vector<std::uint32_t>;

  void execute(const kernel::VectorStep& step);
  void read_source(const kernel::VectorStep& step, const kernel::Field& field, kernel::Source source,
                   std::uint32_t value, int row, Row& to);
  void read_memory(const kernel::MemoryOperand& operand, int row, Row& to);
  void write_blocks(const kernel::MemoryOperand& operand, const std::vector<Row>& rows);
  void write_memory(const kernel::MemoryOperand& operand, int row, const Row& from);

  State& state_;
};

}  // namespace systole::model
