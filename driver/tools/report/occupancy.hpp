// SPDX-License-Identifier: Apache-2.0
// Computes the rectangles of a memory plan from the footprints and execution times of instructions.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "memory_plan.hpp"
#include "row_footprint.hpp"

namespace systole::report {

/// Execution time of an instruction: from the cycle in which its engine took it to the cycle in which it retired.
struct Interval {
  std::uint64_t from = 0;
  std::uint64_t until = 0;
};

/// The occupied rows of the on-chip memories; the rows of one write stay together until part of them is overwritten.
/// Instructions are added in program order, which is also the order of their effects on any one row.
class Occupancy {
 public:
  explicit Occupancy(const Configuration& configuration) : configuration_(configuration) {}

  void add(const isa::Instruction& instruction, std::uint32_t index, const Interval& when);

  /// All rectangles in the order in which they were written. Empties the object.
  std::vector<Occupied> take();

 private:
  using Rows = std::map<std::uint32_t, Occupied*>;  ///< current contents, by first row; ranges do not overlap

  void read(OnChip memory, const compiler::Span& span, const Interval& when);
  void write(OnChip memory, const compiler::Span& span, isa::Engine engine, std::uint32_t index, const Interval& when);
  void split(Rows& rows, std::uint32_t at);

  const Configuration& configuration_;
  std::array<Rows, kOnChipCount> live_;
  std::vector<std::unique_ptr<Occupied>> all_;
};

/// Merges adjacent rectangles of one memory and operand until there are at most `most`, with the smallest tolerance in
/// cycles and rows that suffices; records it in `plan.merged_cycles`. `most` must be at least kOnChipCount *
/// kOperandCount.
void bound_size(MemoryPlan& plan, std::size_t most);

}  // namespace systole::report
