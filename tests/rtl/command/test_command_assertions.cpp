// SPDX-License-Identifier: Apache-2.0
// Every assertion of the command processor, seen to fail.
#include "Vcommand_dim4___024root.h"
#include "command_bench.hpp"
#include "command_models.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

class CommandAssertion : public ::testing::Test {
 public:
  CommandAssertion() : bench(seed(), Timing{}) {
    bench.expect_assertion = true;
    bench.top->expect_assertions();
    bench.window(0, 0x10000, 0x1000, isa::kPermissionExecute);
    bench.ring(0, 6, 0);
  }
  /// Whether an assertion fails in a cycle in which `drive` has set pins.
  template <class Drive>
  bool fails(Drive drive) {
    const int before = bench.context.errorCount();
    bench.tick();
    drive(*bench.top);
    bench.edge();
    return bench.context.errorCount() > before;
  }
  Bench<Vcommand_dim4, 4> bench;
};

TEST_F(CommandAssertion, NoneFailsByItself) {
  EXPECT_FALSE(fails([](auto&) {}));
}
TEST_F(CommandAssertion, RetireHasCommand) {
  EXPECT_TRUE(fails([](auto& top) { set_bits(top.report_i, kReportRetire, 1, 1); }));
}
TEST_F(CommandAssertion, FaultHasCommand) {
  EXPECT_TRUE(fails([](auto& top) { set_bits(top.report_i, 2 * kReportBits + kReportFault + 40, 1, 1); }));
}
TEST_F(CommandAssertion, CauseIsOneHot) {
  EXPECT_TRUE(fails([](auto& top) { set_bits(top.report_i, 3 * kReportBits, 2, 3); }));
}
TEST_F(CommandAssertion, BeatsAreRequested) {
  EXPECT_TRUE(fails([](auto& top) { top.r_i = kAnswer; }));
}
TEST_F(CommandAssertion, RoomIsReserved) {
  bench.blocked[0] = true;
  for (int i = 0; i < 60; ++i) bench.put(plain(0, false, {}));
  bench.ring_bell();
  for (int i = 0; i < 2000; ++i) bench.tick();
  EXPECT_EQ(bench.context.errorCount(), 0);
  bench.top->rootp->tpu_command__DOT__u_fetch__DOT__u_request__DOT__reserved_q = 0;
  for (int i = 0; i < 2000; ++i) bench.tick();
  EXPECT_GT(bench.context.errorCount(), 0);
}
}  // namespace
}  // namespace systole::test
