// SPDX-License-Identifier: Apache-2.0
// Each legality rule of the tables is seen to refuse an instruction, with its text, and to accept its boundary.
#include <gtest/gtest.h>

#include "parts_needed.hpp"
#include "random_instruction.hpp"
#include "seed.hpp"

namespace systole {
namespace {

using isa::Instruction;

/// A legal instruction with small values, to be spoiled in one place.
Instruction plain(const isa::InstructionInfo& info) {
  Instruction i;
  isa::put(i, 0, 8, static_cast<std::uint32_t>(info.opcode));
  for (int f = 0; f < info.field_count; ++f) {
    isa::set_field(info.fields[f], i, std::max(0LL, info.fields[f].min));
  }
  return i;
}

void expect_one(const Instruction& i, int dim, const std::string& field, const std::string& part) {
  const auto found = isa::check(i, dim);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].field, field);
  EXPECT_NE(found[0].text.find(part), std::string::npos) << found[0].text;
  EXPECT_FALSE(isa::is_legal(i, dim));
}

TEST(Check, SmallestValuesAreLegal) {
  for (const auto& info : isa::table::kInstructions) {
    for (const int dim : {4, 8, 16, 32}) {
      const auto found = isa::check(plain(info), dim);
      EXPECT_TRUE(found.empty()) << info.name << ": " << found[0].text;
      EXPECT_TRUE(isa::is_legal(plain(info), dim));
    }
  }
}

TEST(Check, EveryFieldRefusesWhatLiesOutsideItsRange) {
  int refused = 0;
  for (const auto& info : isa::table::kInstructions) {
    for (int f = 0; f < info.field_count; ++f) {
      const isa::FieldInfo& field = info.fields[f];
      const long long type_low = field.is_signed ? -(1LL << (field.width - 1)) : 0;
      const long long type_high = (1LL << (field.is_signed ? field.width - 1 : field.width)) - 1;
      const auto range = std::to_string(field.min) + " .. " + std::to_string(field.max);
      for (const long long bad : {field.min - 1, field.max + 1, field.min + 1}) {
        const bool outside = bad < field.min || bad > field.max || bad % field.align != 0;
        if (bad < type_low || bad > type_high || !outside) {
          continue;
        }
        Instruction i = plain(info);
        isa::set_field(field, i, bad);
        const auto found = isa::check(i, 16);
        ASSERT_FALSE(found.empty()) << info.name << "." << field.name << " = " << bad;
        EXPECT_EQ(found[0].field, field.name);
        EXPECT_EQ(found[0].value, bad);
        EXPECT_NE(found[0].text.find(range), std::string::npos) << found[0].text;
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 40);
}

TEST(Check, ReservedBitsOfEveryInstruction) {
  for (const auto& info : isa::table::kInstructions) {
    const Instruction reserved = isa::reserved_bits(info);
    for (int bit = 0; bit < 512; ++bit) {
      if (isa::get(reserved, bit, 1)) {
        Instruction i = plain(info);
        isa::put(i, bit, 1, 1);
        expect_one(i, 16, "reserved", "word " + std::to_string(bit / 32));
      }
    }
  }
}

TEST(Check, UnknownOpcode) {
  Instruction i;
  expect_one(i, 16, "opcode", "0x0");
  isa::put(i, 0, 8, 0x99);
  expect_one(i, 16, "opcode", "0x99");
}

TEST(Check, SemaphoreNamedTwice) {
  isa::SyncVpu sync;
  sync.sem.wait0_sem = sync.sem.wait1_sem = 3;
  EXPECT_TRUE(isa::is_legal(sync.encode(), 16));
  sync.sem.wait0_amount = 1;
  EXPECT_TRUE(isa::is_legal(sync.encode(), 16));
  sync.sem.wait1_amount = 2;
  expect_one(sync.encode(), 16, "wait1_sem", "both waits name the same semaphore");
  isa::SyncLoad load;
  load.sem.signal0_amount = load.sem.signal1_amount = 1;
  expect_one(load.encode(), 16, "signal1_sem", "both signals name the same semaphore");
  load.sem.signal1_sem = 1;
  EXPECT_TRUE(isa::is_legal(load.encode(), 16));
}

isa::Load load_of_pieces(int bytes, int step) {
  isa::Load load;
  load.piece_bytes = load.slot_bytes = static_cast<std::uint16_t>(bytes);
  load.piece_step = static_cast<std::uint16_t>(step);
  return load;
}

TEST(Check, LoadRules) {
  auto load = load_of_pieces(9, 9);
  load.slot_bytes = 8;
  expect_one(load.encode(), 16, "piece_bytes", "piece_bytes exceeds slot_bytes (slot_bytes = 8)");
  load = {};
  load.lane = 15;
  EXPECT_TRUE(isa::is_legal(load.encode(), 16));
  expect_one(load.encode(), 8, "lane", "lane is not below DIM (DIM = 8)");
  load = {};
  load.count0 = 5;
  load.valid_from = 4;
  load.valid_to = 3;
  expect_one(load.encode(), 16, "valid_from", "valid_from exceeds valid_to");
  load.valid_to = 6;
  expect_one(load.encode(), 16, "valid_to", "valid_to exceeds count0");
}

TEST(Check, TurnedRunsAreRows) {
  isa::Load bytes;
  bytes.turn = static_cast<std::uint8_t>(isa::Turn::kBytes);
  bytes.slot_bytes = 16;
  bytes.count0 = 16;
  EXPECT_TRUE(isa::is_legal(bytes.encode(), 16));
  isa::Load words = bytes;
  words.turn = static_cast<std::uint8_t>(isa::Turn::kWords);
  words.count0 = 4;
  EXPECT_TRUE(isa::is_legal(words.encode(), 16));
  words.count0 = 16;
  expect_one(words.encode(), 16, "count0", "the rows of an inner loop are not as many as their words (DIM/4 = 4)");
  auto load = bytes;
  load.count0 = 4;
  expect_one(load.encode(), 16, "count0", "the rows of an inner loop are not as many as their bytes (DIM = 16)");
  load = bytes;
  load.pieces = 2;
  expect_one(load.encode(), 16, "pieces", "a run that is turned has several pieces (1 = 1)");
  load = bytes;
  load.slot_bytes = 32;
  expect_one(load.encode(), 16, "slot_bytes", "a run that is turned is not a row (DIM = 16)");
  load = bytes;
  load.lane = 1;
  expect_one(load.encode(), 16, "lane", "a run that is turned does not begin with a row (0 = 0)");
  load = bytes;
  load.space = static_cast<std::uint8_t>(isa::Space::kParam);
  expect_one(load.encode(), 16, "space", "rows are turned on their way to scratchpad and weight ring only (2 = 2)");
  load = bytes;
  load.turn = 3;
  expect_one(load.encode(), 16, "turn", "legal: 0 .. 2");
}

TEST(Check, OverlappingPiecesFitTheLineBuffer) {
  for (const int dim : {4, 8, 16, 32}) {
    const int most = isa::kWindowPieceBeats * dim;
    EXPECT_TRUE(isa::is_legal(load_of_pieces(most, 1).encode(), dim));
    EXPECT_TRUE(isa::is_legal(load_of_pieces(most + 1, most + 1).encode(), dim));
    expect_one(load_of_pieces(most + 1, most).encode(), dim, "piece_bytes", "line buffer promises");
  }
}

TEST(Check, DepthwiseColumnsFitTheLineBuffers) {
  for (int stride = 1; stride <= 4; ++stride) {
    isa::Depthwise op;
    op.stride_w = static_cast<std::uint8_t>(stride);
    op.out_width = static_cast<std::uint16_t>(isa::kDepthwiseColumns / stride);
    EXPECT_TRUE(isa::is_legal(op.encode(), 16));
    ++op.out_width;
    const std::string rule = stride == 1 ? "1 .. 254" : "at a stride of " + std::to_string(stride);
    expect_one(op.encode(), 16, "out_width", rule);
  }
}

/// Each factor at a power of two is legal up to the bound; one more of any of them counts twice as much.
TEST(Check, WorkIsBounded) {
  int rules = 0;
  for (const auto& info : isa::table::kInstructions) {
    for (int r = 0; r < info.rule_count; ++r) {
      const auto names = test::factors_of(info.rules[r].left);
      if (names.empty()) {
        continue;
      }
      ++rules;
      Instruction i = plain(info);
      int left = isa::kWorkLog2;
      for (const std::string& name : names) {
        const isa::FieldInfo& field = *isa::find_field(info, name.c_str());
        const int bits = std::min(left, field.width - 1);
        isa::set_field(field, i, 1LL << bits);
        left -= bits;
      }
      ASSERT_EQ(left, 0) << info.name << ": the fields are too small for the bound to matter";
      EXPECT_TRUE(isa::is_legal(i, 16)) << isa::check(i, 16).front().text;
      for (const std::string& name : names) {
        const isa::FieldInfo& field = *isa::find_field(info, name.c_str());
        Instruction more = i;
        isa::set_field(field, more, isa::field_value(field, i) + 1);
        expect_one(more, 16, info.rules[r].left, "(WORK_LOG2 = 28)");
        EXPECT_EQ(isa::check(more, 16).front().value, isa::kWorkLog2 + 1);
      }
    }
  }
  EXPECT_GE(rules, 8);
}

template <typename T>
void clamp_rule() {
  T op;
  op.clamp_min = op.clamp_max = -5;
  EXPECT_TRUE(isa::is_legal(op.encode(), 16));
  op.clamp_min = -4;
  expect_one(op.encode(), 16, "clamp_min", "clamp_min exceeds clamp_max (clamp_max = -5)");
}

TEST(Check, ClampOrder) {
  clamp_rule<isa::Drain>();
  clamp_rule<isa::Maxpool>();
  clamp_rule<isa::Avgpool>();
  clamp_rule<isa::Add>();
  clamp_rule<isa::Multiply>();
  clamp_rule<isa::Map>();
  isa::Drain drain;
  drain.mid_min = 1;
  expect_one(drain.encode(), 16, "mid_min", "mid_min exceeds mid_max");
}

TEST(Check, ReportsEveryViolation) {
  auto load = load_of_pieces(9, 9);
  load.slot_bytes = 8;
  load.lane = 16;
  load.count1 = 0;
  EXPECT_EQ(isa::check(load.encode(), 16).size(), 3u);
}

TEST(Check, NoteAndListAgreeOnRandomBits) {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 20000; ++round) {
    const auto& info = isa::table::kInstructions[random() % std::size(isa::table::kInstructions)];
    Instruction i = test::random_in_range(info, random);
    if (random() % 4 == 0) {
      i.words[random() % 16] ^= 1u << random() % 32;
    }
    EXPECT_EQ(isa::is_legal(i, 16), isa::check(i, 16).empty());
  }
}

/// A core without one part refuses exactly what needs it, and names the part.
TEST(Check, AMissingPart) {
  for (const auto& [part, instruction] : test::instructions_of_parts(16)) {
    EXPECT_TRUE(isa::is_legal(instruction, 16)) << isa::check(instruction, 16).front().text;
    EXPECT_FALSE(isa::missing_part(instruction, kAllParts).has_value());
    for (const PartInfo& info : kParts) {
      const PartSet rest = kAllParts & ~bit(info.part);
      EXPECT_EQ(isa::is_legal(instruction, 16, rest), info.part != part) << info.name;
      EXPECT_EQ(isa::missing_part(instruction, rest).has_value(), info.part == part) << info.name;
    }
    const PartSet rest = kAllParts & ~bit(part);
    ASSERT_EQ(isa::check(instruction, 16, rest).size(), 1u);
    EXPECT_NE(isa::check(instruction, 16, rest).front().text.find("this core "), std::string::npos);
    EXPECT_EQ(isa::missing_part(instruction, rest), part);
  }
}

}  // namespace
}  // namespace systole
