// SPDX-License-Identifier: Apache-2.0
#include "vector_coverage.hpp"

#include "functional_coverage.hpp"
#include "kernel_set.hpp"

namespace systole::programs {
namespace {

test::KernelUses uses_of(const isa::Map& op) {
  const char* shape = op.out_height > 1 && op.out_width > 1 ? "area"
                      : op.out_width > 1                    ? "line"
                      : op.out_height > 1                   ? "column"
                                                            : "position";
  return {{op.table != 0 ? "MAP, looked up" : "MAP, copied", shape}};
}

/// What a kernel touches, and its micro-instructions.
test::KernelUses uses_of(const isa::Vector& op, const Configuration& c) {
  const std::vector<kernel::Word>& kernels = kernels_of(c).known.kernels;
  test::KernelUses uses = test::uses_of(kernels, op.entry, kernel::arguments_of(op));
  kernel::Sequencer sequencer(kernels, op.entry, kernel::arguments_of(op));
  bool memory = false;
  while (const kernel::VectorStep* step = sequencer.next()) {
    if (step->has_memory && step->rows > 0) {
      const bool sums = step->memory.format == kernel::Format::kAcc;
      uses.insert({"VECTOR", step->memory.store ? (sums ? "writes accumulators" : "writes scratchpad")
                                                : (sums ? "reads accumulators" : "reads scratchpad")});
      memory = true;
    }
  }
  if (!memory) uses.insert({"VECTOR", "registers alone"});
  return uses;
}

}  // namespace

void VectorCoverage::add(const std::vector<isa::Instruction>& commands) {
  for (const isa::Instruction& command : commands) {
    const isa::InstructionInfo* info = isa::find_instruction(command);
    if (!info) continue;
    switch (info->opcode) {
      case isa::Opcode::kVector: uses_.merge(uses_of(isa::Vector::decode(command), c_)); break;
      case isa::Opcode::kMap: uses_.merge(uses_of(isa::Map::decode(command))); break;
      case isa::Opcode::kTable: uses_.insert({"TABLE", isa::Table::decode(command).words ? "words" : "bytes"}); break;
      default: break;
    }
  }
}

void VectorCoverage::report(bool stalled) const {
  for (const auto& [row, column] : uses_) test::ran(row, column, stalled, "NONE");
}

}  // namespace systole::programs
