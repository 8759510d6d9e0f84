// SPDX-License-Identifier: Apache-2.0
// Random legal programs over all instructions, on the functional model and on the RTL under random memory timing:
// device memory, scratchpad, accumulators and registers must be equal afterwards.
#include <gtest/gtest.h>

#include "compare_states.hpp"
#include "cores.hpp"
#include "cosim.hpp"
#include "model_backend.hpp"
#include "random_programs.hpp"
#include "vector_coverage.hpp"

namespace systole::programs {
namespace {

struct Machine {
  std::string configuration;
  int rounds;
};

class RandomPrograms : public ::testing::TestWithParam<Machine> {};

TEST_P(RandomPrograms, AgreeWithTheModel) {
  test::rounds(GetParam().rounds, [](std::uint64_t seed) {
    Source source(seed);
    const Setting setting = random_setting(source);
    const BackendOptions timing = random_timing(GetParam().configuration, source);
    Session model(model::open_model(timing), setting), rtl(test::open_rtl(timing), setting);
    const std::uint64_t contents = source.word();
    model.fill(contents);
    rtl.fill(contents);
    VectorCoverage coverage(model.configuration());
    const auto batches = source.range(1, 3);
    for (long long b = 0; b < batches; ++b) {
      ProgramOptions options;
      options.programs = static_cast<int>(source.range(1, 3));
      options.commands = static_cast<int>(source.range(5, 40));
      const auto commands = random_programs(options, model.configuration(), setting.windows, source);
      std::vector<isa::Instruction> dispatch;
      Batch batch = pack(commands, source.chance(70), setting, source, dispatch);
      ASSERT_EQ(refusal(dispatch, model.configuration(), setting.windows), "");
      if (source.chance(40)) {
        batch.step = static_cast<std::uint32_t>(source.range(1, 6));
        batch.pause = static_cast<unsigned>(source.range(1, 300));
      }
      const Outcome expected = model.run(batch);
      const Outcome actual = rtl.run(batch);
      ASSERT_EQ(expected, actual);
      ASSERT_TRUE(actual.good()) << actual.text();
      coverage.add(commands);
    }
    EXPECT_EQ(difference(model.dump(), rtl.dump(), model.configuration()), "");
    EXPECT_EQ(rtl.counter_fault(), "");
    if (!::testing::Test::HasFailure()) coverage.report(timing.stall_percent > 0);
  });
}

// A difference of one byte is detected and named.
TEST(Comparison, SeesOneByte) {
  Source source(1);
  Setting setting = random_setting(source);
  setting.windows[static_cast<std::size_t>((setting.ring_window + 1) % 4)] = {kData, kDataBytes, isa::kPermissionRead};
  const BackendOptions options = quick_timing("tiny");
  Session one(model::open_model(options), setting), other(model::open_model(options), setting);
  one.fill(2);
  other.fill(2);
  const Configuration& c = one.configuration();
  EXPECT_EQ(difference(one.dump(), other.dump(), c), "");
  isa::Load load;  // one byte of fill: no memory is read
  load.dst = 700;
  load.lane = 3;
  Batch batch;
  batch.ends = 1;
  for (const int fill : {5, 6}) {
    load.fill = static_cast<std::int8_t>(fill);
    batch.ring = {load.encode(), isa::End{}.encode()};
    ASSERT_TRUE((fill == 5 ? one : other).run(batch).good());
  }
  EXPECT_EQ(difference(one.dump(), other.dump(), c),
            "1 bytes differ, the first at scratchpad row 700 byte 3: model 0x05, rtl 0x06");
}

TEST(Comparison, FailedRoundNamesItsCommand) {
  const std::string command = test::rerun_command(4, 17);
  EXPECT_EQ(
      command.rfind("SYSTOLE_SEED=4 SYSTOLE_ROUND=17 SYSTOLE_TRACE=$PWD/round17.fst SYSTOLE_TRACE_ON_ERROR=2000 /", 0),
      0u)
      << command;
  EXPECT_NE(command.find(" --gtest_filter='Comparison.FailedRoundNamesItsCommand'"), std::string::npos) << command;
}

INSTANTIATE_TEST_SUITE_P(All, RandomPrograms,
                         ::testing::ValuesIn(test::of_built_cores({Machine{"tiny", 1200}, Machine{"small", 120},
                                                                   Machine{"default", 50}, Machine{"large", 12},
                                                                   Machine{"nano", 300}})),
                         [](const auto& info) { return info.param.configuration; });

}  // namespace
}  // namespace systole::programs
