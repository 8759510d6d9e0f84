// SPDX-License-Identifier: Apache-2.0
// Programs submitted, polled and waited for, on a functional model that misbehaves on request.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "faulty_backend.hpp"
#include "systole/errors.hpp"

namespace systole {
namespace {

struct Polled {
  std::shared_ptr<Faults> faults = std::make_shared<Faults>();
  Device device{std::make_unique<FaultyBackend>(faults)};
  Program program = program_of({legal_load().encode()});
};

TEST(Submit, WaitReturnsResultOfRun) {
  Polled p;
  RunTicket run = p.device.submit(p.program);
  const RunStats waited = run.wait();
  EXPECT_EQ(waited.commands, p.device.run(p.program).commands);
}

TEST(Submit, DoneBeforeAndAfterWait) {
  Polled p;
  RunTicket run = p.device.submit(p.program);
  while (!run.done()) {}
  EXPECT_TRUE(run.done());
  EXPECT_EQ(run.wait().commands, 2U);
  EXPECT_TRUE(run.done());
  EXPECT_THROW(run.wait(), InvalidArgument);
  EXPECT_TRUE(RunTicket().done());
  EXPECT_THROW(RunTicket().wait(), InvalidArgument);
}

TEST(Submit, RejectsSecondProgram) {
  Polled p;
  Program second = program_of({legal_load().encode()});
  RunTicket run = p.device.submit(p.program);
  EXPECT_THROW(p.device.submit(second), InvalidArgument);
  EXPECT_THROW(p.device.run(second), InvalidArgument);
  EXPECT_THROW(p.device.clear(), InvalidArgument);
  EXPECT_EQ(run.wait().commands, 2U);
  EXPECT_NO_THROW(p.device.run(second));
}

TEST(Submit, AllowsConcurrentCopies) {
  Polled p;
  const Buffer buffer = p.device.allocate(64);
  std::array<std::uint8_t, 64> out{1, 2, 3}, in{};
  RunTicket run = p.device.submit(p.program);
  p.device.write(buffer, out.data(), out.size());
  p.device.read(buffer, in.data(), in.size());
  run.wait();
  EXPECT_EQ(in, out);
}

TEST(Submit, RejectsIllegalProgramImmediately) {
  Polled p;
  Program illegal = program_of({isa::Instruction{{0xEE}}});
  RunOptions checked;
  checked.check = true;
  EXPECT_THROW(p.device.submit(illegal, checked), ProgramRefused);
  EXPECT_NO_THROW(p.device.run(p.program));  // nothing was left running
}

TEST(Submit, WaitRethrowsErrors) {
  Polled p;
  Program illegal = program_of({isa::Instruction{{0xEE}}});
  RunTicket run = p.device.submit(illegal);
  EXPECT_TRUE(run.done());
  EXPECT_THROW(run.wait(), DeviceError);
  EXPECT_NO_THROW(p.device.run(p.program));

  p.faults->runs_throw = true;
  RunTicket thrown = p.device.submit(p.program);
  EXPECT_TRUE(thrown.done());
  EXPECT_THROW(thrown.wait(), std::runtime_error);
}

TEST(Submit, PollingDetectsHang) {
  Polled p;
  isa::Load waits = legal_load();
  waits.sem = {3, 1, 0, 0, 0, 0, 0, 0};
  Program hangs = program_of({waits.encode()});
  RunOptions admitted;
  admitted.admit_deadlocks = true;
  RunTicket run = p.device.submit(hangs, admitted);
  while (!run.done()) {}
  EXPECT_THROW(run.wait(), DeviceTimeout);
  EXPECT_NO_THROW(p.device.run(p.program));
}

TEST(Submit, DestructorWaitsForRun) {
  Polled p;
  { const RunTicket dropped = p.device.submit(p.program); }
  EXPECT_NO_THROW(p.device.run(p.program));
  RunTicket replaced = p.device.submit(p.program);
  replaced = RunTicket();
  EXPECT_NO_THROW(p.device.run(p.program));
  RunTicket moved = p.device.submit(p.program);
  RunTicket target = std::move(moved);
  EXPECT_EQ(target.wait().commands, 2U);
}

TEST(Submit, ResetEndsRun) {
  Polled p;
  RunTicket run = p.device.submit(p.program);
  p.device.reset();
  EXPECT_TRUE(run.done());
  EXPECT_THROW(run.wait(), Failure);
  EXPECT_NO_THROW(p.device.run(p.program));
}

}  // namespace
}  // namespace systole
