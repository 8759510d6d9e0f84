// SPDX-License-Identifier: Apache-2.0
// No instruction reports more accesses than access_bound(), and the bound of a huge instruction is computed at once.
#include <gtest/gtest.h>

#include <limits>

#include "../isa/random_instruction.hpp"
#include "seed.hpp"
#include "systole/accesses.hpp"
#include "systole/disassemble.hpp"
#include "whole_configurations.hpp"

namespace systole {
namespace {

struct Counter : AccessVisitor {
  void rows(Memory, std::uint32_t, std::uint32_t, bool) override { ++reports; }
  void bytes(int, std::uint32_t, std::uint64_t, bool) override { ++reports; }
  std::uint64_t reports = 0;
};

/// A legal instruction whose loops are short.
isa::Instruction small(const isa::InstructionInfo& info, int dim, std::mt19937_64& random) {
  for (;;) {
    isa::Instruction instruction = test::random_in_range(info, random);
    for (int f = 0; f < info.field_count; ++f) {
      const isa::FieldInfo& field = info.fields[f];
      const std::string_view name = field.name;
      if (name == "valid_from" || name == "lane") {
        isa::set_field(field, instruction, 0);
      } else if (name == "piece_bytes" && info.opcode == isa::Opcode::kLoad) {  // at most slot_bytes
        isa::set_field(field, instruction, 1);
      } else if (name == "valid_to") {
        isa::set_field(field, instruction, isa::field_value(*isa::find_field(info, "count0"), instruction));
      } else if (field.min == 1) {  // how many of something
        isa::set_field(field, instruction, 1 + static_cast<long long>(random() % 9));
      }
    }
    if (isa::is_legal(instruction, dim)) {
      return instruction;
    }
  }
}

TEST(AccessBound, HoldsForEveryInstruction) {
  const auto whole = test::whole_configurations();
  std::mt19937_64 random(test::seed());
  for (const isa::InstructionInfo& info : isa::table::kInstructions) {
    for (int i = 0; i < 60; ++i) {
      const Configuration& configuration = whole.at(static_cast<std::size_t>(i) % whole.size());
      const isa::Instruction instruction = small(info, configuration.dim, random);
      Counter counter;
      visit_accesses(instruction, configuration, counter);
      ASSERT_LE(counter.reports, access_bound(instruction, configuration)) << isa::disassemble(instruction);
    }
  }
}

TEST(AccessBound, OfTheLongestKernel) {
  const auto words =
      kernel::assemble("kernel k(often, two)\nloop often\n  move i32[two, two, two], 0\nend\nend\n").words;
  std::vector<kernel::Word> memory(kernel::kMemoryWords);
  std::copy(words.begin(), words.end(), memory.begin());
  isa::Vector op;
  op.arg0 = (1 << kernel::kWorkLog2) - 2;
  op.arg1 = 2;
  Counter counter;
  visit_accesses(op.encode(), kConfigurations[0], counter, &memory);
  EXPECT_GT(counter.reports, std::uint64_t{1} << 24);
  EXPECT_LE(counter.reports, access_bound(op.encode(), kConfigurations[0]));
}

TEST(AccessBound, OfLongLoops) {
  const Configuration& configuration = kConfigurations[0];
  isa::Load load;
  load.count0 = load.count1 = load.pieces = 1000;
  load.slot_bytes = 40;  // ten rows
  EXPECT_EQ(access_bound(load.encode(), configuration), 10'001'000'000u);
  load.count0 = load.count1 = load.pieces = load.slot_bytes = std::numeric_limits<std::uint16_t>::max();
  EXPECT_EQ(access_bound(load.encode(), configuration), 65535ull * 65535 * (65535ull * 16384 + 1));
  isa::Map map;
  map.out_height = 300;
  map.out_width = 200;
  EXPECT_GE(access_bound(map.encode(), configuration), 120'000u);
}

}  // namespace
}  // namespace systole
