// SPDX-License-Identifier: Apache-2.0
// A core refuses the instructions that need a part which it lacks, with the record of an illegal one, and runs those of
// the parts that it has; the functional model does the same. The register PARTS tells.
#include "cores.hpp"
#include "pair.hpp"
#include "parts_needed.hpp"
#include "systole/disassemble.hpp"

namespace systole::programs {
namespace {

class MissingParts : public ::testing::TestWithParam<std::string> {};

TEST_P(MissingParts, AreRefused) {
  constexpr std::uint32_t kAll = isa::kPermissionRead | isa::kPermissionWrite | isa::kPermissionExecute;
  Source source(7);
  Setting setting;
  setting.windows[0] = {kData, kDataBytes, kAll};
  setting.windows[3] = {kCode, kCodeBytes, kAll};
  setting.ring_log2 = 4;
  Pair pair(quick_timing(GetParam()), setting, source);
  pair.fill();
  const Configuration& configuration = pair.model.configuration();
  for (Session* side : {&pair.model, &pair.rtl}) {
    SCOPED_TRACE(side->device().name());
    EXPECT_EQ(side->device().read_register(reg::kParts), configuration.parts);
    for (const auto& [part, instruction] : test::instructions_of_parts(configuration.dim)) {
      SCOPED_TRACE(isa::disassemble(instruction));
      ASSERT_TRUE(side->reset());
      const Outcome outcome = side->run({{isa::SyncMxu{}.encode(), instruction, isa::End{}.encode()}, {}, 1}, 5000);
      if (configuration.has(part)) {
        EXPECT_TRUE(outcome.good()) << outcome.text();
        continue;
      }
      EXPECT_EQ(outcome.error_code, static_cast<std::uint32_t>(isa::ErrorCode::kIllegalInstruction) |
                                        static_cast<std::uint32_t>(isa::Engine::kCommand) << reg::kErrorCodeEngineLsb);
      EXPECT_EQ(outcome.error_index, 1u);
      EXPECT_EQ(outcome.error_address, instruction.words[0]);
      EXPECT_TRUE(outcome.status & reg::kStatusHalted);
    }
  }
  pair.expect_sound();
}

INSTANTIATE_TEST_SUITE_P(All, MissingParts, ::testing::ValuesIn(test::built_among({"tiny", "nano", "default_int8"})),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace systole::programs
