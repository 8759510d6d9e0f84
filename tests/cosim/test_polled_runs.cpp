// SPDX-License-Identifier: Apache-2.0
// A program that is polled costs the cycles of one that is waited for, and copies beside it do not disturb it.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "systole/backends.hpp"
#include "systole/device.hpp"
#include "systole/network.hpp"
#include "systole/zoo.hpp"

namespace systole::cosim {
namespace {

BackendOptions tiny() {
  BackendOptions options;
  options.configuration = "tiny";
  options.memory_bytes = std::uint64_t{1} << 22;
  return options;
}

/// The first program of a network.
Program& first_program(CompiledNetwork& network) {
  for (NetworkStep& step : network.steps) {
    if (auto* device = std::get_if<DeviceStep>(&step)) {
      return device->program;
    }
  }
  throw std::logic_error("no program");
}

TEST(rtl_tiny, PolledRuns) {
  if (!has_backend("rtl")) {
    GTEST_SKIP() << "this build has no back end rtl";
  }
  Device device = Device::open(tiny(), "rtl");
  CompiledNetwork network = compile_network(zoo::ad(1), device.configuration());
  Program& program = first_program(network);
  const RunStats waited = device.run(program);
  EXPECT_GT(waited.cycles, 10'000U);

  device.reset();  // the place in the ring has a part in the cycles
  int looks = 1;
  RunTicket polled = device.submit(program);
  while (!polled.done()) ++looks;
  EXPECT_GT(looks, 3);
  const RunStats stats = polled.wait();
  EXPECT_EQ(stats.cycles, waited.cycles);
  EXPECT_EQ(stats.causes, waited.causes);

  const Buffer buffer = device.allocate(64);
  std::array<std::uint8_t, 64> out{1, 2, 3}, in{};
  RunTicket beside = device.submit(program);
  EXPECT_FALSE(beside.done());
  device.write(buffer, out.data(), out.size());
  device.read(buffer, in.data(), in.size());
  EXPECT_EQ(beside.wait().commands, waited.commands);
  EXPECT_EQ(in, out);
}

TEST(rtl_tiny, PolledHang) {
  if (!has_backend("rtl")) {
    GTEST_SKIP() << "this build has no back end rtl";
  }
  Device device = Device::open(tiny(), "rtl");
  isa::Conv conv;
  conv.in_width = conv.out_width = 1;
  conv.sem = {3, 1, 0, 0, 0, 0, 0, 0};
  Program program;
  program.instructions = {conv.encode()};
  program.label_of = {0};
  program.labels = {"waits for nobody"};
  RunOptions options;
  options.admit_deadlocks = true;
  options.quiet_cycles = 2000;
  RunTicket run = device.submit(program, options);
  int looks = 0;
  while (!run.done()) {
    ASSERT_LT(++looks, 100);
  }
  EXPECT_THROW(run.wait(), DeviceTimeout);
}

}  // namespace
}  // namespace systole::cosim
