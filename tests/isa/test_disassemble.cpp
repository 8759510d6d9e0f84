// SPDX-License-Identifier: Apache-2.0
// Disassembly loses nothing: the line is assembled again and compared with the instruction.
#include "systole/disassemble.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "random_instruction.hpp"
#include "seed.hpp"

namespace systole {
namespace {

long long parse_value(const isa::FieldInfo& field, const std::string& text) {
  if (*field.enum_name && !text.empty() && std::isalpha(static_cast<unsigned char>(text[0]))) {
    for (long long v = field.min; v <= field.max; ++v) {
      const std::string name = field.enum_name;
      if (text == (name == "Space"  ? isa::to_string(static_cast<isa::Space>(v))
                   : name == "Turn" ? isa::to_string(static_cast<isa::Turn>(v))
                                    : isa::to_string(static_cast<isa::Rounding>(v)))) {
        return v;
      }
    }
    ADD_FAILURE() << text << " is not a value of " << field.enum_name;
  }
  return std::stoll(text, nullptr, 0);
}

/// Reads a disassembly back.
isa::Instruction assemble(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  const isa::InstructionInfo* info = isa::find_instruction(word);
  isa::Instruction i;
  isa::put(i, 0, 8, static_cast<std::uint32_t>(info->opcode));
  int waits = 0;
  int signals = 0;
  while (words >> word) {
    int semaphore = 0;
    int amount = 0;
    unsigned bits = 0;
    if (std::sscanf(word.c_str(), "wait(%d,%d)", &semaphore, &amount) == 2) {
      isa::put(i, 32 + 16 * waits, 5, static_cast<unsigned>(semaphore));
      isa::put(i, 40 + 16 * waits++, 8, static_cast<unsigned>(amount));
    } else if (std::sscanf(word.c_str(), "signal(%d,%d)", &semaphore, &amount) == 2) {
      isa::put(i, 64 + 16 * signals, 5, static_cast<unsigned>(semaphore));
      isa::put(i, 72 + 16 * signals++, 8, static_cast<unsigned>(amount));
    } else if (std::sscanf(word.c_str(), "reserved(%d,0x%x)", &semaphore, &bits) == 2) {
      i.words[static_cast<std::size_t>(semaphore)] |= bits;
    } else {
      const auto equals = word.find('=');
      const isa::FieldInfo* field = isa::find_field(*info, word.substr(0, equals));
      EXPECT_NE(field, nullptr) << word;
      isa::set_field(*field, i, parse_value(*field, word.substr(equals + 1)));
    }
  }
  return i;
}

TEST(Disassemble, Examples) {
  isa::Load load;
  load.src = 0x100;
  load.run_bytes = 64;
  load.space = 1;
  load.piece_start = -3;
  load.sem.wait0_sem = 3;
  load.sem.wait0_amount = 1;
  load.sem.signal0_sem = 4;
  load.sem.signal0_amount = 1;
  EXPECT_EQ(isa::disassemble(load.encode()),
            "LOAD src=0x100 run_bytes=64 space=WEIGHT piece_start=-3 pieces=1 slot_bytes=1 count0=1 count1=1 wait(3,1) "
            "signal(4,1)");
  isa::End end;
  end.tag = 0xabc;
  EXPECT_EQ(isa::disassemble(end.encode()), "END tag=0xabc");
  isa::Vector vector;
  vector.entry = 40;
  vector.arg0 = 16;
  vector.arg11 = 0xffffffff;
  EXPECT_EQ(isa::disassemble(vector.encode()), "VECTOR entry=40 arg0=0x10 arg11=0xffffffff");
  EXPECT_EQ(isa::disassemble(isa::SyncMxu{}.encode()), "SYNC_MXU");
  EXPECT_EQ(isa::disassemble(isa::Instruction{}).substr(0, 16), "UNKNOWN 00000000");
  auto odd = isa::SyncMxu{}.encode();
  odd.words[5] = 0x10;
  EXPECT_EQ(isa::disassemble(odd), "SYNC_MXU reserved(5,0x10)");
}

TEST(Disassemble, ReadsBack) {
  std::mt19937_64 random(test::seed());
  for (const auto& info : isa::table::kInstructions) {
    for (int round = 0; round < 200; ++round) {
      isa::Instruction i = test::random_in_range(info, random);
      if (info.has_semaphores) {  // an empty first slot is not shown, so that the second would be read as the first
        isa::put(i, 40, 8, 1);
        isa::put(i, 72, 8, 1);
      }
      EXPECT_EQ(assemble(isa::disassemble(i)), i) << isa::disassemble(i);
    }
  }
}

TEST(Disassemble, EveryEnumerationIsNamed) {
  for (const auto& info : isa::table::kInstructions) {
    for (int f = 0; f < info.field_count; ++f) {
      const isa::FieldInfo& field = info.fields[f];
      if (*field.enum_name) {
        isa::Instruction i;
        isa::put(i, 0, 8, static_cast<std::uint32_t>(info.opcode));
        isa::set_field(field, i, field.max);
        const std::string digits = std::string(field.name) + "=" + std::to_string(field.max);
        EXPECT_EQ(isa::disassemble(i).find(digits), std::string::npos) << isa::disassemble(i);
      }
    }
  }
}

}  // namespace
}  // namespace systole
