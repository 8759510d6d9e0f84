// SPDX-License-Identifier: Apache-2.0
// The program that runs one kernel: arrays into the core, VECTOR, results out of it.
#pragma once

#include <memory>
#include <vector>

#include "kernel_planes.hpp"
#include "systole/device.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::cli {

/// An operand with its place in the core's memories and, if it is a result, in the program's bindings.
struct PlacedOperand {
  const KernelOperand* operand;
  Planes planes;
  int first = 0;    ///< row, of scratchpad or accumulators: the argument
  int scratch = 0;  ///< first scratchpad row; of accumulators, on their way in and out
  MemoryRange result = {};

  /// Rows from `first` on.
  std::int64_t rows() const { return planes.rows * (operand->sums ? planes.blocks : planes.planes); }
  /// "src          int8 100x16, scratchpad rows 0 to 99"
  std::string text() const;
};

class KernelProgram {
 public:
  /// Places the operands of the call, one after the other. The call must outlive this. Throws InputError when a memory
  /// has no room for one.
  KernelProgram(const kernel::Kernel& kernel, const KernelCall& call, const Configuration& configuration);

  Program& program() { return program_; }
  const kernel::Arguments& arguments() const { return arguments_; }
  const std::vector<PlacedOperand>& operands() const { return operands_; }

  /// After the run: the array of a result.
  graph::Value read(const PlacedOperand& operand, Device& device) const;

 private:
  void place(const KernelOperand& operand);
  void load(isa::Space space, int row, graph::Bytes rows);
  void store(const PlacedOperand& operand);
  void move_sums(const PlacedOperand& operand, bool in);
  template <class Op>
  void append(const Op& op);
  void synchronize();

  const Configuration configuration_;
  std::vector<PlacedOperand> operands_;
  kernel::Arguments arguments_{};
  int scratch_rows_ = 0, sum_rows_ = 0;  ///< in use
  Program program_;
};

}  // namespace systole::cli
