// SPDX-License-Identifier: Apache-2.0
// From what instructions read and write, and when they ran, to the rectangles of a memory plan.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "memory_plan.hpp"
#include "row_footprint.hpp"

namespace systole::report {

/// When an instruction ran: from the cycle in which its engine took it to the one in which it retired.
struct Interval {
  std::uint64_t from = 0;
  std::uint64_t until = 0;
};

/// Rows of the on-chip memories that hold something; those of one write are held together until a part is overwritten.
/// Instructions are added in program order, which is also the order of their effects on any one row.
class Occupancy {
 public:
  explicit Occupancy(const Configuration& configuration) : configuration_(configuration) {}

  void add(const isa::Instruction& instruction, std::uint32_t index, const Interval& when);

  /// Everything that has lain in the memories, in the order in which it was written. Ends the occupancy.
  std::vector<Occupied> take();

 private:
  using Rows = std::map<std::uint32_t, Occupied*>;  ///< what lies there now, by first row; does not overlap

  void read(OnChip memory, const compiler::Span& span, const Interval& when);
  void write(OnChip memory, const compiler::Span& span, isa::Engine engine, std::uint32_t index, const Interval& when);
  void split(Rows& rows, std::uint32_t at);

  const Configuration& configuration_;
  std::array<Rows, kOnChipCount> live_;
  std::vector<std::unique_ptr<Occupied>> all_;
};

/// Joins rectangles of one memory and operand whose edges touch until there are at most `most`, with the least
/// tolerance in cycles and rows for which that suffices; `plan.merged_cycles` tells it. At least kOnChipCount *
/// kOperandCount.
void bound_size(MemoryPlan& plan, std::size_t most);

}  // namespace systole::report
