// SPDX-License-Identifier: Apache-2.0
// Random legal programs over all instructions, on the functional model and on the RTL under random memory timing: what
// they leave in device memory, scratchpad, accumulators and registers agrees exactly.
#include <gtest/gtest.h>

#include "compare.hpp"
#include "cosim.hpp"
#include "programs.hpp"

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
    Session model(make_model_backend(timing), setting), rtl(test::open_rtl(timing), setting);
    const std::uint64_t contents = source.word();
    model.fill(contents);
    rtl.fill(contents);
    const auto batches = source.range(1, 3);
    for (long long b = 0; b < batches; ++b) {
      Wish wish;
      wish.programs = static_cast<int>(source.range(1, 3));
      wish.commands = static_cast<int>(source.range(5, 40));
      const auto commands = random_programs(wish, model.configuration(), setting.windows, source);
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
    }
    EXPECT_EQ(difference(model.dump(), rtl.dump(), model.configuration()), "");
  });
}

INSTANTIATE_TEST_SUITE_P(All, RandomPrograms,
                         ::testing::Values(Machine{"tiny", 300}, Machine{"small", 40}, Machine{"default", 15}, Machine{"large", 4}),
                         [](const auto& info) { return info.param.configuration; });

}  // namespace
}  // namespace systole::programs
