// SPDX-License-Identifier: Apache-2.0
// Contents of the memories over time, computed from instructions and their execution times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plan_recorder.hpp"
#include "systole/program.hpp"

namespace systole::report {
namespace {

const Configuration& tiny() { return kConfigurations[0]; }

/// Loads `rows` rows of the scratchpad.
isa::Instruction load(int row, int rows) {
  isa::Load op;
  op.space = static_cast<std::uint8_t>(isa::Space::kScratch);
  op.dst = static_cast<std::uint16_t>(row);
  op.slot_bytes = 4;
  op.run_bytes = 4;
  op.pieces = 1;
  op.count0 = static_cast<std::uint16_t>(rows);
  op.dst_stride0 = 1;
  op.count1 = 1;
  op.valid_to = op.count0;
  op.src_stride0 = 4;
  return op.encode();
}

isa::Instruction store(int row, int rows) {
  isa::Store op;
  op.src = static_cast<std::uint16_t>(row);
  op.piece_bytes = 4;
  op.pieces = 1;
  op.count0 = static_cast<std::uint16_t>(rows);
  op.src_stride0 = 1;
  op.count1 = 1;
  return op.encode();
}

/// "rows row..end cycles from..until by instruction", in order of writing.
std::vector<std::string> lines(const std::vector<Occupied>& list) {
  std::vector<std::string> text;
  for (const Occupied& o : list) {
    text.push_back(fmt::format("{} {} rows {}..{} cycles {}..{} by {}", to_string(o.memory), to_string(o.operand),
                               o.row, o.row_end, o.from, o.until, o.instruction));
  }
  return text;
}

TEST(OccupancyOf, LastsUntilLastReader) {
  Occupancy occupancy(tiny());
  occupancy.add(load(0, 8), 0, {10, 20});
  occupancy.add(store(0, 4), 1, {30, 40});
  occupancy.add(store(4, 4), 2, {40, 55});
  EXPECT_THAT(lines(occupancy.take()), testing::ElementsAre("scratchpad activations rows 0..8 cycles 10..55 by 0"));
}

/// Exponents are loaded to rows of their own, behind the others.
TEST(OccupancyOf, HasNoExponents) {
  Occupancy occupancy(tiny());
  occupancy.add(load(tiny().scratch_rows - 2, 6), 0, {10, 20});
  occupancy.add(load(tiny().scratch_rows, 3), 1, {10, 20});
  EXPECT_THAT(lines(occupancy.take()), testing::ElementsAre("scratchpad activations rows 766..768 cycles 10..20 by 0"));
}

TEST(OccupancyOf, EndsAtOverwrite) {
  Occupancy occupancy(tiny());
  occupancy.add(load(0, 8), 0, {10, 20});
  occupancy.add(store(0, 8), 1, {30, 40});
  occupancy.add(load(2, 2), 2, {50, 60});
  occupancy.add(store(0, 8), 3, {70, 80});
  EXPECT_THAT(lines(occupancy.take()),
              testing::UnorderedElementsAre("scratchpad activations rows 0..2 cycles 10..80 by 0",
                                            "scratchpad activations rows 2..4 cycles 10..40 by 0",
                                            "scratchpad activations rows 4..8 cycles 10..80 by 0",
                                            "scratchpad activations rows 2..4 cycles 50..80 by 2"));
}

TEST(OccupancyOf, AccumulationKeepsRows) {
  isa::Conv conv;
  conv.out_height = conv.out_width = conv.in_height = conv.in_width = 2;
  conv.kernel_h = conv.kernel_w = conv.stride_h = conv.stride_w = conv.dilation_h = conv.dilation_w = 1;
  conv.blocks = 1;
  conv.row_stride = 2;
  conv.acc_row = 8;
  conv.weight_row = static_cast<std::uint16_t>(tiny().weight_rows - 2);
  Occupancy occupancy(tiny());
  occupancy.add(conv.encode(), 0, {10, 20});
  conv.accumulate = 1;
  occupancy.add(conv.encode(), 1, {20, 35});
  EXPECT_THAT(lines(occupancy.take()), testing::ElementsAre("accumulators sums rows 8..12 cycles 10..35 by 0"));
}

MemoryPlan striped(std::uint32_t rows, std::uint64_t steps) {
  MemoryPlan plan;
  plan.cycles = 10 * steps;
  plan.rows = {rows, rows, rows, rows};
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      plan.occupied.push_back({OnChip::kScratchpad, row % 2 == 0 ? Operand::kActivations : Operand::kResults, row,
                               row + 1, 10 * step, 10 * step + 9, 0, 1});
    }
  }
  return plan;
}

TEST(PlanSize, IsExactWherePossible) {
  MemoryPlan plan;
  plan.cycles = 100;
  plan.rows = {64, 64, 64, 64};
  plan.occupied = {{OnChip::kScratchpad, Operand::kActivations, 4, 8, 10, 20, 2, 1},
                   {OnChip::kScratchpad, Operand::kActivations, 0, 4, 10, 20, 1, 1},
                   {OnChip::kScratchpad, Operand::kActivations, 0, 4, 20, 30, 3, 1}};
  bound_size(plan, 1000);
  EXPECT_EQ(plan.merged_cycles, 0u);
  EXPECT_THAT(lines(plan.occupied), testing::ElementsAre("scratchpad activations rows 0..8 cycles 10..20 by 1",
                                                         "scratchpad activations rows 0..4 cycles 20..30 by 3"));
  EXPECT_EQ(plan.occupied[0].writers, 2u);
}

TEST(PlanSize, IsBounded) {
  for (const std::size_t most : {1000u, 100u, 20u}) {
    MemoryPlan plan = striped(64, 200);
    const std::size_t writers = plan.occupied.size();
    bound_size(plan, most);
    EXPECT_LE(plan.occupied.size(), most);
    EXPECT_GE(plan.occupied.size(), 2u);
    EXPECT_GT(plan.merged_cycles, 0u);
    std::size_t kept = 0;
    for (const Occupied& o : plan.occupied) {
      kept += o.writers;
      EXPECT_LE(o.row_end, 64u);
      EXPECT_LE(o.until, plan.cycles);
    }
    EXPECT_EQ(kept, writers);
  }
}

TEST(Recorder, CountsFromStartOfRun) {
  Program program;
  program.instructions = {load(0, 8), store(0, 8), load(16, 4)};
  PlanRecorder recorder(tiny(), 2);
  constexpr std::uint32_t kFirst = 0xFFFF'FFFF;  // indices wrap
  recorder.run_begins(program, kFirst, "run", 1000);
  recorder.started(1010, 0, kFirst);
  recorder.retired(1020, 0, kFirst);
  recorder.started(1030, 3, 0);
  recorder.retired(1040, 3, 0);
  recorder.started(1050, 0, 1);  // never retires: the run fails
  recorder.run_ended(1100);
  const auto plans = recorder.take();
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(plans[0].cycles, 100u);
  EXPECT_EQ(plans[0].rows[0], static_cast<std::uint32_t>(tiny().scratch_rows));
  EXPECT_THAT(lines(plans[0].occupied), testing::ElementsAre("scratchpad activations rows 0..8 cycles 10..40 by 0",
                                                             "scratchpad activations rows 16..20 cycles 50..100 by 2"));
}

TEST(Recorder, StopsAfterRequestedRuns) {
  Program program;
  program.instructions = {load(0, 8)};
  PlanRecorder recorder(tiny(), 2);
  for (int i = 0; i < 3; ++i) {
    recorder.run_begins(program, 0, "run", 0);
    recorder.started(1, 0, 0);
    recorder.retired(2, 0, 0);
    recorder.run_ended(10);
  }
  EXPECT_EQ(recorder.take().size(), 2u);
}

}  // namespace
}  // namespace systole::report
