// SPDX-License-Identifier: Apache-2.0
// Deadlocks and unresponsive buses on the RTL: the driver names engine, command, semaphore and suspect, and the device
// works afterwards. Programs that are refused before they run do hang, in exactly the state that the refusal describes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cosim.hpp"
#include "rtl_backend.hpp"
#include "stuck_programs.hpp"
#include "systole/deadlock.hpp"
#include "systole/device.hpp"
#include "systole/generated/registers.hpp"

namespace systole::test {
namespace {

using Culprit = HangReport::Culprit;
using Wait = HangReport::Wait;
using isa::Engine;

class Hang : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr std::uint64_t kQuiet = 2000;

  Device open(unsigned latency = 100) {
    BackendOptions options;
    options.configuration = GetParam();
    options.memory_bytes = std::uint64_t{16} << 20;
    options.memory.read_latency = options.memory.write_latency = latency;
    return Device(sim::make_machine_backend(
        traced(options), [this](const Configuration& c, sim::Storage& storage, const sim::CoreOptions& core) {
          sim::CoreOptions with = core;
          with.memory.faults = &faults_;
          return sim::make_core(c.name, storage, with);
        }));
  }

  static RunOptions admitting(std::uint64_t quiet = kQuiet) {
    RunOptions options;
    options.quiet_cycles = quiet;
    options.admit_deadlocks = true;
    return options;
  }

  /// Runs a program that must hang.
  static HangReport hang(Device& device, Program& program, const RunOptions& options) {
    try {
      device.run(program, options);
      ADD_FAILURE() << "did not hang";
    } catch (const DeviceTimeout& error) {
      text_of(error, *error.hang);
      return *error.hang;
    }
    return {};
  }

  static void text_of(const std::exception& error, const HangReport& report) {
    EXPECT_NE(std::string(error.what()).find(report.to_text()), std::string::npos) << error.what();
  }

  /// Checks that the device still computes correctly.
  static void expect_sound(Device& device) {
    std::vector<std::uint8_t> in(64), out(64);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(7 * i + 1);
    Program program = bound({load_of(1), store_of(device.configuration().dim, 1)});
    device.place(program);
    device.write(program.bindings(), in.data(), in.size());
    EXPECT_NO_THROW(device.run(program));
    device.read(program.bindings(), out.data(), out.size(), kResult);
    EXPECT_EQ(in, out);
  }

  static constexpr std::uint32_t kResult = 64;  ///< in the bindings, behind the operand

  static Program bound(std::vector<isa::Instruction> instructions) {
    Program program = program_of(std::move(instructions));
    program.binding_bytes = 2 * kResult;
    return program;
  }
  /// 64 bytes of the bindings to scratchpad rows from 0 on, signalling a semaphore.
  static isa::Instruction load_of(int semaphore) {
    isa::Load op;
    op.run_bytes = 64;
    op.piece_step = op.piece_bytes = op.slot_bytes = 64;
    op.dst_block = 1;
    op.valid_to = 1;
    op.sem.signal0_sem = static_cast<std::uint8_t>(semaphore);
    op.sem.signal0_amount = 1;
    return op.encode();
  }
  static isa::Instruction store_of(int dim, int semaphore) {
    isa::Store op;
    op.dst = kResult;
    op.pieces = static_cast<std::uint16_t>(64 / dim);
    op.piece_bytes = static_cast<std::uint16_t>(dim);
    op.src_piece = 1;
    op.sem.wait0_sem = static_cast<std::uint8_t>(semaphore);
    op.sem.wait0_amount = 1;
    return op.encode();
  }

  sim::AxiMemoryFaults faults_;
};

TEST_P(Hang, MissingSignal) {
  Device device = open();
  expect_sound(device);  // the hanging program is not the first
  Program program = bound({load_of(1), store_of(device.configuration().dim, 1), load({}, {{5, 1}}), mxu({{5, 1}}, {}),
                           mxu({{5, 2}}, {{6, 1}}), vpu({{6, 1}}, {})});
  const HangReport report = hang(device, program, admitting());
  EXPECT_EQ(report.culprit, Culprit::kMissingSignal);
  EXPECT_EQ(report.suspect,
            "MXU #4 waits for semaphore 5 (holds 0, needs 2), but no remaining instruction signals it; the last one "
            "was LOAD #2, and in the whole program its signals add up to 1, its waits to 3");
  EXPECT_EQ(report.commands, 7u);
  EXPECT_EQ(report.dispatched, 6u);
  EXPECT_EQ(report.committed, 4u);
  const HangReport::Node* mxu_node = report.node(Engine::kMxu);
  ASSERT_TRUE(mxu_node);
  EXPECT_EQ(mxu_node->wait, Wait::kSemaphore);
  EXPECT_EQ(mxu_node->command.text, "SYNC_MXU wait(5,2) signal(6,1)");
  EXPECT_EQ(mxu_node->command.layer, "second");
  EXPECT_EQ(mxu_node->cause, isa::Cause::kSemaphore);
  ASSERT_TRUE(mxu_node->since && report.cycle);
  EXPECT_GT(*mxu_node->since, 50u);
  EXPECT_LT(*mxu_node->since + kQuiet, *report.cycle);
  EXPECT_LT(*report.cycle, *mxu_node->since + 4 * kQuiet);
  const HangReport::Node* vpu_node = report.node(Engine::kVpu);
  ASSERT_TRUE(vpu_node);
  ASSERT_EQ(vpu_node->signallers.size(), 1u);
  EXPECT_EQ(vpu_node->signallers[0].command.index, 4u);
  EXPECT_EQ(vpu_node->upstream, Engine::kMxu);
  ASSERT_EQ(report.recent.size(), 6u);
  EXPECT_EQ(report.recent[1].state, HangReport::State::kCommitted);
  EXPECT_EQ(report.recent[5].state, HangReport::State::kQueued);
  EXPECT_EQ(report.to_json()["culprit"], "missing signal");
  expect_sound(device);
}

TEST_P(Hang, CircularWait) {
  Device device = open();
  Program program = bound({load_of(1), mxu({{1, 1}}, {{2, 1}}), vpu({{2, 1}, {9, 1}}, {{3, 1}}),
                           store({{3, 1}}, {{4, 1}}), load({{4, 1}}, {{9, 1}})});
  const HangReport report = hang(device, program, admitting());
  EXPECT_EQ(report.culprit, Culprit::kCircularWait);
  EXPECT_EQ(report.suspect,
            "3 engines wait for each other in a circle: VPU #2 waits for semaphore 9 (holds 0, needs 1) that LOAD #4 "
            "would signal; LOAD #4 "
            "waits for semaphore 4 (holds 0, needs 1) that STORE #3 would signal; STORE #3 waits for semaphore 3 "
            "(holds 0, needs 1) that "
            "VPU #2 would signal");
  EXPECT_EQ(report.semaphores[2], 1);  // available, but both waits are satisfied together
  EXPECT_EQ(report.chain, (std::vector<Engine>{Engine::kVpu, Engine::kLoad, Engine::kStore}));
  EXPECT_EQ(report.loop, 0u);
  expect_sound(device);
}

/// Legal in program order, and accepted: the MXU could come first. On the hardware the VPU does.
TEST_P(Hang, StolenToken) {
  Device device = open();
  Program program =
      bound({load({}, {{7, 1}}), load_of(8), mxu({{8, 1}, {7, 1}}, {{7, 2}}), vpu({{7, 1}}, {}), vpu({{7, 1}}, {})});
  RunOptions options;
  options.quiet_cycles = kQuiet;
  const HangReport report = hang(device, program, options);
  EXPECT_EQ(report.culprit, Culprit::kStolenToken);
  EXPECT_EQ(report.suspect, "VPU #3 consumed the token of semaphore 7 that MXU #2, earlier in the program, needs");
  expect_sound(device);
  options.check = true;  // the legality checker knows
  EXPECT_THROW(device.run(program, options), ProgramRefused);
}

TEST_P(Hang, ReadThatIsNotAnswered) {
  constexpr unsigned kLatency = 4000;  // after it, at the next progress report, the memory stops responding
  Device device = open(kLatency);
  device.backend().write_register(reg::kWatchdog, 0);
  Program program = bound({load_of(1), mxu({{1, 1}}, {})});
  RunOptions options;
  options.quiet_cycles = 6000;
  options.progress = [&](std::uint64_t cycles, std::int64_t) { faults_.hold_reads = cycles > kLatency + 100; };
  const HangReport report = hang(device, program, options);
  EXPECT_EQ(report.culprit, Culprit::kMemory);
  const unsigned beats = static_cast<unsigned>(64 / device.configuration().dim);
  EXPECT_EQ(report.suspect, fmt::format("memory never answered the read burst at {:#x} ({} beats) of LOAD #0",
                                        program.windows()[kBindingsWindow].base, beats));
  ASSERT_TRUE(report.node(Engine::kLoad));
  EXPECT_EQ(report.node(Engine::kLoad)->command.state, HangReport::State::kInFlight);
  EXPECT_EQ(report.node(Engine::kMxu)->upstream, Engine::kLoad);
  // The reset has to wait for the memory, as the error said.
  faults_.hold_reads = false;
  device.reset();
  expect_sound(device);
}

TEST_P(Hang, WriteThatIsNotAnswered) {
  Device device = open();
  expect_sound(device);
  device.backend().write_register(reg::kWatchdog, 1000);  // the hardware's own watchdog expires first
  Program program = bound({load_of(1), store_of(device.configuration().dim, 1)});
  faults_.hold_responses = true;
  try {
    device.run(program);
    ADD_FAILURE() << "did not hang";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code, isa::ErrorCode::kBusStuck);
    ASSERT_TRUE(error.hang);
    text_of(error, *error.hang);
    EXPECT_EQ(error.hang->suspect,
              fmt::format("memory never answered the write burst at {:#x} ({} beats) of STORE #1",
                          program.windows()[kBindingsWindow].base + kResult, 64 / device.configuration().dim));
    EXPECT_NE(std::string(error.what()).find("then device: reset has not finished"), std::string::npos) << error.what();
  }
  faults_.hold_responses = false;
  device.reset();
  device.backend().write_register(reg::kWatchdog, reg::kWatchdogReset);
  expect_sound(device);
}

TEST_P(Hang, FetchThatIsNotAnswered) {
  Device device = open();
  device.backend().write_register(reg::kWatchdog, 0);
  Program program = program_of({load({}, {}), mxu({}, {})});
  faults_.hold_reads = true;
  const HangReport report = hang(device, program, admitting());
  EXPECT_EQ(report.culprit, Culprit::kFetch);
  EXPECT_EQ(report.suspect.find("memory never answered the read burst at 0x"), 0u) << report.suspect;
  EXPECT_NE(report.suspect.find("of the instruction fetch; #0 has not arrived"), std::string::npos) << report.suspect;
  faults_.hold_reads = false;
  device.reset();
  expect_sound(device);
}

TEST_P(Hang, RefusedBeforeItRuns) {
  Device device = open();
  std::vector<isa::Instruction> flooded(isa::kQueueDepth + 1, mxu({{1, 1}}, {}));
  flooded.push_back(load({}, {{1, isa::kQueueDepth + 1}}));
  std::vector<std::pair<Program, std::string>> cases;
  cases.emplace_back(program_of({load({}, {{5, 1}}), store({{5, 1}}, {}), vpu({{5, 1}}, {})}),
                     "VPU #2 waits for semaphore 5");
  cases.emplace_back(program_of({mxu({{1, 1}}, {{2, 1}}), vpu({{2, 1}}, {{1, 1}})}),
                     "two engines wait for each other: MXU #0 waits for semaphore 1");
  cases.emplace_back(program_of(flooded),
                     "LOAD #9 has not been dispatched; #8 cannot be dispatched because the queue of MXU is full");
  for (auto& [program, words] : cases) {
    const std::uint64_t before = device.backend().simulated_cycles();
    try {
      device.run(program);
      ADD_FAILURE() << "not refused: " << words;
    } catch (const ProgramRefused& error) {
      ASSERT_TRUE(error.hang);
      EXPECT_NE(error.hang->suspect.find(words), std::string::npos) << error.what();
      text_of(error, *error.hang);
    }
    EXPECT_EQ(device.backend().simulated_cycles(), before);  // nothing was submitted
    const HangReport report = hang(device, program, admitting());
    EXPECT_NE(report.suspect.find(words), std::string::npos) << report.to_text();
    expect_sound(device);
  }
  flooded.erase(flooded.begin());  // the queue takes one fewer
  flooded.back() = load({}, {{1, isa::kQueueDepth}});
  Program fits = program_of(flooded);
  EXPECT_NO_THROW(device.run(fits));
}

TEST_P(Hang, RefusalsAreRight) {
  Device device = open(10);
  int hung = 0, ended = 0;
  std::mt19937_64 rng(seed());
  for (int round = 0; round < 150 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Program program = random_program(rng, true);
    const auto refusal = find_deadlock(program);
    try {
      device.run(program, admitting(300));
      ++ended;
      EXPECT_FALSE(refusal) << refusal->to_text();
    } catch (const DeviceError& error) {
      ++ended;
      EXPECT_EQ(error.code, isa::ErrorCode::kSemaphoreAtEnd) << error.what();
      EXPECT_FALSE(refusal) << refusal->to_text();
    } catch (const DeviceTimeout& error) {
      ++hung;
      ASSERT_TRUE(refusal) << error.what();
      const HangReport& report = *error.hang;
      EXPECT_EQ(report.suspect, refusal->suspect);
      EXPECT_EQ(report.semaphores, refusal->semaphores);
      EXPECT_EQ(report.committed, refusal->committed);
      EXPECT_EQ(report.dispatched, refusal->dispatched);
      EXPECT_EQ(report.chain, refusal->chain);
    }
  }
  EXPECT_GT(hung, 15);
  EXPECT_GT(ended, 15);
}

INSTANTIATE_TEST_SUITE_P(All, Hang, ::testing::Values("tiny", "default"), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace systole::test
