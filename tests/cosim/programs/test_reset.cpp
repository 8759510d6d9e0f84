// SPDX-License-Identifier: Apache-2.0
// CONTROL.RESET at random moments of a running program, with bus transactions in flight. Afterwards the state is that
// after power-on: programs on the same device give exact results. The protocol checker observes all of it.
#include "cores.hpp"
#include "pair.hpp"

namespace systole::programs {
namespace {

struct Machine {
  std::string configuration;
  int rounds;
};

class Reset : public ::testing::TestWithParam<Machine> {};

TEST_P(Reset, UnderLoad) {
  int busy = 0;
  test::rounds(GetParam().rounds, [&busy](std::uint64_t seed) {
    Source source(seed);
    const Setting setting = random_setting(source);
    const BackendOptions timing = random_timing(GetParam().configuration, source);
    Pair pair(timing, setting, source);
    pair.rtl.fill(source.word());
    const auto resets = source.range(1, 4);
    for (long long r = 0; r < resets; ++r) {
      const auto commands = random_programs({30, 2, true, false}, pair.rtl.configuration(), setting.windows, source);
      std::vector<isa::Instruction> dispatch;
      Batch batch = pack(commands, true, setting, source, dispatch);
      // At most as many entries as fit the ring: start() must not wait for the program.
      batch.ring.resize(std::min<std::size_t>(batch.ring.size(), std::size_t{1} << setting.ring_log2));
      pair.rtl.start(batch);
      pair.rtl.device().run(
          static_cast<std::uint64_t>(source.chance(50) ? source.range(1, 300) : source.range(1, 6000)));
      busy += (pair.rtl.status() & reg::kStatusBusy) != 0;
      ASSERT_TRUE(pair.rtl.reset());
      EXPECT_EQ(pair.rtl.status(), 0u);
      EXPECT_EQ(pair.rtl.semaphores(), std::vector<std::uint32_t>(reg::kSemaphoreCount, 0u));
      EXPECT_EQ(pair.rtl.device().read_register(reg::kIrqStatus), 0u);
    }
    pair.expect_sound();
  });
  fmt::print("{} resets of a busy core\n", busy);
}

INSTANTIATE_TEST_SUITE_P(All, Reset,
                         ::testing::ValuesIn(test::of_built_cores({Machine{"tiny", 600}, Machine{"small", 40},
                                                                   Machine{"default", 40}, Machine{"large", 5},
                                                                   Machine{"nano", 100}})),
                         [](const auto& info) { return info.param.configuration; });

}  // namespace
}  // namespace systole::programs
