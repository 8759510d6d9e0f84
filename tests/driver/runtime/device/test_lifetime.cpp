// SPDX-License-Identifier: Apache-2.0
// State after failures and misuse: tickets, programs, the ring, progress.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "faulty_backend.hpp"

namespace systole {
namespace {

struct Rig {
  explicit Rig(const BackendOptions& options = small_memory())
      : device(std::make_unique<FaultyBackend>(faults, options)) {}
  std::shared_ptr<Faults> faults = std::make_shared<Faults>();
  Device device;
};

TEST(Lifetime, WaitReportsFailedCopy) {
  Rig rig;
  const Buffer buffer = rig.device.allocate(64);
  std::array<std::uint8_t, 64> host{};
  rig.faults->copies_fail = true;
  { const CopyTicket dropped = rig.device.start_write(buffer, host.data(), host.size()); }
  CopyTicket replaced = rig.device.start_write(buffer, host.data(), host.size());
  replaced = rig.device.start_write(buffer, host.data(), host.size());
  EXPECT_THROW(replaced.wait(), std::runtime_error);
  EXPECT_NO_THROW(replaced.wait());  // it has been reported
}

/// A program with one constant that its instruction loads.
Program with_constant(std::uint8_t value) {
  isa::Load load = legal_load();
  Program program;
  program.constant_bytes = 64;
  program.constants.push_back({0, std::vector<std::uint8_t>(64, value)});
  load.src = 0;
  load.window = kConstantsWindow;
  program.instructions = {load.encode()};
  program.label_of = {0};
  program.labels = {"by hand"};
  return program;
}

TEST(Lifetime, ReloadsConstantsAfterFailure) {
  Rig rig;
  Program program = with_constant(7);
  rig.faults->copies_fail = true;
  EXPECT_THROW(rig.device.run(program), std::runtime_error);
  rig.faults->copies_fail = false;
  rig.device.run(program);
  std::array<std::uint8_t, 64> host{};
  rig.device.backend().read_memory(program.windows()[kConstantsWindow].base, host.data(), host.size());
  EXPECT_EQ(host[63], 7);
}

TEST(Lifetime, RejectsProgramOfOtherDevice) {
  Rig first, second;
  Program program = with_constant(7);
  first.device.run(program);
  try {
    second.device.run(program);
    FAIL() << "ran without its constants";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("belongs to another device: its range at 0x"), std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(first.device.run(program));

  Program scratch = program_of({legal_load().encode()});
  scratch.scratch_bytes = 64;
  first.device.place(scratch);
  EXPECT_THROW(second.device.run(scratch), std::invalid_argument);
}

TEST(Lifetime, KeepsRingIfResizeFails) {
  BackendOptions options = small_memory();
  options.memory_bytes = std::uint64_t{1} << 20;
  Rig rig(options);
  const Buffer most = rig.device.allocate(rig.device.memory()->free_bytes() - 16384);
  Program large = program_of(std::vector<isa::Instruction>(3000, legal_load().encode()));
  try {
    rig.device.run(large);
    FAIL() << "the ring needs 192,000 bytes, some 16,384 are free";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("device memory"), std::string::npos) << error.what();
  }
  Program small = program_of({legal_load().encode()});
  EXPECT_NO_THROW(rig.device.run(small));
}

TEST(Lifetime, ProgressEndsWithItsRun) {
  Rig rig;
  int calls = 0;
  RunOptions options;
  options.progress = [&](std::uint64_t, std::int64_t) { ++calls; };
  Program program = program_of({legal_load().encode()});
  rig.faults->runs_throw = true;
  EXPECT_THROW(rig.device.run(program, options), std::runtime_error);
  rig.faults->runs_throw = false;
  EXPECT_EQ(calls, 1);
  rig.device.reset();
  rig.device.run(program);
  EXPECT_EQ(calls, 1) << "the progress of a run that ended was reported to";
}

}  // namespace
}  // namespace systole
