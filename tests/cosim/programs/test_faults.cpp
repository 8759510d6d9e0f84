// SPDX-License-Identifier: Apache-2.0
// Programs with one wrong command: the RTL records the same error as the functional model, raises the interrupt, and
// after CONTROL.RESET a legal program gives exact results. Nothing overlaps in these programs, so that there is one
// first error.
#include <gtest/gtest.h>

#include <map>

#include "cores.hpp"
#include "functional_coverage.hpp"
#include "kernel_set.hpp"
#include "pair.hpp"
#include "systole/isa_check.hpp"
#include "systole/legality.hpp"
#include "systole/races.hpp"

namespace systole::programs {
namespace {

isa::Instruction without_semaphores(isa::Instruction instruction) {
  isa::encode(isa::Semaphores{}, instruction);
  return instruction;
}

/// For functional coverage: an error that the RTL recorded correctly.
void report(const Outcome& outcome, const BackendOptions& timing) {
  test::ran(to_string(static_cast<isa::Engine>(outcome.error_code >> reg::kErrorCodeEngineLsb)), "-",
            timing.stall_percent > 0, to_string(static_cast<isa::ErrorCode>(outcome.error_code & 0xFF)));
}

/// The command with one thing changed.
isa::Instruction corrupted(isa::Instruction i, Source& source) {
  const isa::InstructionInfo& info = *isa::find_instruction(i);
  const isa::Instruction reserved = isa::reserved_bits(info);
  const long long kind = source.range(0, 19);
  if (kind == 0) {  // an opcode that does not exist, mostly
    i.words[0] = (i.words[0] & ~0xFFu) | static_cast<std::uint32_t>(source.range(0, 255));
    return i;
  }
  if (kind <= 2 || info.field_count == 0) {
    for (;;) {
      const auto word = static_cast<std::size_t>(source.range(0, 15));
      const std::uint32_t bit = 1u << source.range(0, 31);
      if (reserved.words[word] & bit) {
        i.words[word] ^= bit;
        return i;
      }
    }
  }
  const isa::FieldInfo& field = info.fields[source.range(0, info.field_count - 1)];
  const auto bits = static_cast<std::uint32_t>(source.word()) & (field.width == 32 ? ~0u : (1u << field.width) - 1);
  const std::uint32_t value = source.chance(10) ? 0 : source.chance(50) ? bits & 0x7F : bits;
  isa::put(i, field.lsb, field.width, field.width >= 8 ? value : bits);
  return i;
}

struct Machine {
  std::string configuration;
  int rounds;
};

class Corrupted : public ::testing::TestWithParam<Machine> {};

// If the corrupted command is legal it must do the same as on the model; otherwise its error must be the model's.
TEST_P(Corrupted, CommandGivesTheSameErrorOrTheSameResult) {
  std::map<std::uint32_t, int> codes;
  test::rounds(GetParam().rounds, [&codes](std::uint64_t seed) {
    Source source(seed);
    const Setting setting = random_setting(source);
    const BackendOptions timing = random_timing(GetParam().configuration, source);
    Pair pair(timing, setting, source);
    pair.fill();
    const Configuration& c = pair.model.configuration();
    for (int tries = 0; tries < 3; ++tries) {
      auto commands = random_programs({12, 1, false, true}, c, setting.windows, source);
      const auto at = static_cast<std::size_t>(source.range(0, static_cast<long long>(commands.size()) - 2));
      const isa::Instruction wrong = corrupted(commands[at], source);
      commands[at] = wrong;
      const auto refused = check_program({without_semaphores(wrong)}, c, setting.windows, kernels_of(c).known);
      if (!isa::is_legal(wrong, c.dim) ? !refused : cost(wrong, c) > 4000) continue;
      if (!refused && refusal(commands, c, setting.windows) != "") continue;  // another engine's now, or a race
      std::vector<isa::Instruction> dispatch;
      const Batch batch = pack(commands, source.chance(50), setting, source, dispatch);
      if (!refused) {
        ASSERT_EQ(pair.model.run(batch), pair.rtl.run(batch));
        continue;
      }
      const Outcome expected = pair.model.run(batch);
      if (expected.error_code == 0) break;  // refused because of coordinates, which the model accepts
      const Outcome actual = pair.rtl.run(batch, 20'000);
      ASSERT_TRUE(Record(expected) == Record(actual)) << "model: " << expected.text() << "\n  rtl: " << actual.text();
      ++codes[expected.error_code & 0xFF];
      report(actual, timing);
      pair.expect_sound();
      break;
    }
  });
  for (const auto& [code, count] : codes) fmt::print("{}: {}\n", to_string(static_cast<isa::ErrorCode>(code)), count);
}

INSTANTIATE_TEST_SUITE_P(All, Corrupted,
                         ::testing::ValuesIn(test::of_built_cores({Machine{"tiny", 900}, Machine{"small", 60},
                                                                   Machine{"default", 25}, Machine{"large", 5},
                                                                   Machine{"nano", 200}})),
                         [](const auto& info) { return info.param.configuration; });

// Windows that extend beyond the memory: the bus answers with an error.
TEST(BusErrors, GiveTheAddressOfTheModel) {
  std::map<std::uint32_t, int> codes;
  test::rounds(400, [&codes](std::uint64_t seed) {
    Source source(seed);
    Setting setting = random_setting(source);
    Setting beyond = setting;
    for (int w = 0; w < isa::kWindows; ++w) {
      AddressWindow& window = beyond.windows[static_cast<std::size_t>(w)];
      if (w == setting.ring_window || window.size == 0) continue;
      const auto below = static_cast<std::uint32_t>(source.range(0x20, 0xC0)) * kWindowAlignment;
      window.base = static_cast<std::uint32_t>(kMemoryBytes) - below;
      window.size = below + static_cast<std::uint32_t>(source.range(0x20, 0xC0)) * kWindowAlignment;
    }
    const BackendOptions timing =
        random_timing(source.chance(80) || !test::is_built("default") ? "tiny" : "default", source);
    Pair pair(timing, beyond, source);
    const Configuration& c = pair.model.configuration();
    // One LOAD or STORE after another until one is answered with an error.
    Commands commands(c, beyond.windows, source);
    std::vector<isa::Instruction> list;
    for (int i = 0; i < 40; ++i)
      list.push_back(commands.one(source.chance(50) ? isa::Opcode::kLoad : isa::Opcode::kStore));
    Schedule chain;
    chain.chain = true;
    const auto program = synchronise(list, 1, c, beyond.windows, chain, source);
    ASSERT_EQ(refusal(program, c, beyond.windows), "");
    std::vector<isa::Instruction> dispatch;
    const Batch batch = pack(program, false, beyond, source, dispatch);
    const Outcome expected = pair.model.run(batch);
    ASSERT_FALSE(expected.good());
    const Outcome actual = pair.rtl.run(batch);
    ASSERT_TRUE(Record(expected) == Record(actual)) << "model: " << expected.text() << "\n  rtl: " << actual.text();
    ++codes[expected.error_code & 0xFF];
    report(actual, timing);
    ASSERT_TRUE(pair.rtl.reset());
    ASSERT_TRUE(pair.model.reset());
  });
  for (const auto& [code, count] : codes) fmt::print("{}: {}\n", to_string(static_cast<isa::ErrorCode>(code)), count);
}

}  // namespace
}  // namespace systole::programs
