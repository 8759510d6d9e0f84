// SPDX-License-Identifier: Apache-2.0
// Tests for scripts/waves: one passes, one fails at a known place, one ends in an exception of the simulation, one
// fails without a device.
#include <gtest/gtest.h>

#include "cosim.hpp"
#include "systole/generated/registers.hpp"

namespace systole::test {
namespace {

BackendOptions tiny() {
  BackendOptions options;
  options.configuration = "tiny";
  return options;
}

TEST(OnPurpose, Passes) {
  const auto device = open_rtl(tiny());
  device->run(3000);
  EXPECT_EQ(device->read_register(reg::kDim), 4u);
}

TEST(OnPurpose, Fails) {
  const auto device = open_rtl(tiny());
  device->run(3000);
  EXPECT_EQ(device->read_register(reg::kDim), 5u);
  fmt::print("failed in cycle {}\n", device->simulated_cycles());
  device->run(500);
  open_rtl(tiny())->run(100);  // does not touch the waveform
}

TEST(OnPurpose, FailsWithoutADevice) { FAIL(); }

}  // namespace
}  // namespace systole::test
