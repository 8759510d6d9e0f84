// SPDX-License-Identifier: Apache-2.0
// The generated structs and the tables describe the same bits: encode(decode(x)) == x for every instruction, and field
// by field the struct's value is the table's.
#include <gtest/gtest.h>

#include "random_instruction.hpp"
#include "seed.hpp"

namespace systole {
namespace {

template <typename T>
void round_trip(std::mt19937_64& random) {
  const isa::InstructionInfo* info = isa::find_instruction(static_cast<std::uint32_t>(T::kOpcode));
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->engine, T::kEngine);
  EXPECT_EQ(isa::find_instruction(std::string(info->name)), info);
  for (int round = 0; round < 500; ++round) {
    const isa::Instruction i = test::random_legal(*info, 16, random);
    EXPECT_EQ(T::decode(i).encode(), i) << info->name;
  }
}

TEST(RoundTrip, EveryInstruction) {
  std::mt19937_64 random(test::seed());
  using namespace isa;
  round_trip<End>(random);
  round_trip<Jump>(random);
  round_trip<Load>(random);
  round_trip<Conv>(random);
  round_trip<Depthwise>(random);
  round_trip<Drain>(random);
  round_trip<Drain32>(random);
  round_trip<Preload>(random);
  round_trip<Maxpool>(random);
  round_trip<Avgpool>(random);
  round_trip<Add>(random);
  round_trip<Multiply>(random);
  round_trip<Table>(random);
  round_trip<Map>(random);
  round_trip<Vector>(random);
  round_trip<Store>(random);
  round_trip<SyncLoad>(random);
  round_trip<SyncMxu>(random);
  round_trip<SyncVpu>(random);
  round_trip<SyncStore>(random);
  EXPECT_EQ(std::size(table::kInstructions), 20u) << "a new instruction belongs into this list";
}

TEST(RoundTrip, EveryFieldByName) {
  std::mt19937_64 random(test::seed());
  for (const auto& info : isa::table::kInstructions) {
    for (int f = 0; f < info.field_count; ++f) {
      const isa::FieldInfo& field = info.fields[f];
      EXPECT_EQ(isa::find_field(info, field.name), &field);
      for (const long long value : {field.min, field.max}) {
        isa::Instruction i = test::random_in_range(info, random);
        const isa::Instruction before = i;
        isa::set_field(field, i, value);
        EXPECT_EQ(isa::field_value(field, i), value) << info.name << "." << field.name;
        isa::set_field(field, i, isa::field_value(field, before));
        EXPECT_EQ(i, before);
      }
    }
    EXPECT_EQ(isa::find_field(info, "no_such_field"), nullptr);
    EXPECT_EQ(isa::find_field(info, "wait0_sem") != nullptr, info.has_semaphores);
  }
}

TEST(RoundTrip, ValuesThatDoNotFitAreRefused) {
  isa::Instruction i;
  const auto* load = isa::find_instruction(std::string("LOAD"));
  EXPECT_THROW(isa::set_field(*isa::find_field(*load, "dst"), i, 65536), std::out_of_range);
  EXPECT_THROW(isa::set_field(*isa::find_field(*load, "piece_start"), i, -32769), std::out_of_range);
  isa::Store store;
  store.window = 8;
  EXPECT_THROW(store.encode(), std::out_of_range);
}

}  // namespace
}  // namespace systole
