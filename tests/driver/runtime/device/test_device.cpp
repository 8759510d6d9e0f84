// SPDX-License-Identifier: Apache-2.0
// The device on the functional model: set-up, copies, ring, errors and recovery.
#include "systole/device.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>

#include "faulty_backend.hpp"
#include "kernels.hpp"
#include "systole/generated/registers.hpp"
#include "systole/kernel.hpp"

namespace systole {
namespace {

TEST(Device, CopiesBothWays) {
  Device device = Device::open(small_memory(), "model");
  Buffer buffer = device.allocate(1000);
  std::vector<std::uint8_t> in(1000), out(1000);
  std::iota(in.begin(), in.end(), std::uint8_t{0});
  CopyTicket first = device.start_write(buffer, in.data(), 500);
  CopyTicket second = device.start_write(buffer, in.data() + 500, 500, 500);
  first.wait();
  second.wait();
  device.read(buffer, out.data(), 1000);
  EXPECT_EQ(in, out);
  EXPECT_THROW(device.write(buffer, in.data(), 1000, 1), std::out_of_range);
  EXPECT_THROW(device.read(buffer, out.data(), 1, 1001), std::out_of_range);
}

TEST(Device, RefusesUnknownBackEnd) {
  try {
    Device::open(small_memory(), "abacus");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'abacus'"), std::string::npos);
  }
}

TEST(Device, RecoversFromError) {
  Device device = Device::open(small_memory(), "model");
  isa::Load outside = legal_load();
  outside.src = 0xFFFF0000;
  Program good = program_of({legal_load().encode()});
  device.run(good);
  Program bad = program_of({legal_load().encode(), outside.encode()});
  for (int round = 0; round < 2; ++round) {
    try {
      device.run(bad);
      FAIL();
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.code, isa::ErrorCode::kWindow);
      EXPECT_EQ(error.engine, isa::Engine::kLoad);
      EXPECT_EQ(error.index, 1u);
      EXPECT_EQ(error.address, 0xFFFF0000u);
      EXPECT_EQ(error.instruction.rfind("LOAD", 0), 0u) << error.instruction;
      EXPECT_NE(std::string(error.what()).find("WINDOW in command 1 of 'by hand'"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("open the window"), std::string::npos) << error.what();
    }
    EXPECT_NO_THROW(device.run(good));
  }
}

TEST(Device, RejectsDeadlock) {
  Device device = Device::open(small_memory(), "model");
  isa::Load waiting = legal_load();
  waiting.sem.wait0_sem = 21;
  waiting.sem.wait0_amount = 1;
  Program program = program_of({waiting.encode()});
  try {
    device.run(program);
    FAIL();
  } catch (const ProgramRefused& error) {
    ASSERT_TRUE(error.hang);
    EXPECT_EQ(error.hang->culprit, HangReport::Culprit::kMissingSignal);
    EXPECT_EQ(std::string(error.what())
                  .find("program refused: the program deadlocks in every order of execution; with the earliest "
                        "command first, 0 of 2 commands commit\n  suspect: LOAD #0 waits for semaphore 21 (holds 0, "
                        "needs 1), but no "
                        "instruction of the program signals it"),
              0u)
        << error.what();
  }
  Program good = program_of({legal_load().encode()});
  EXPECT_NO_THROW(device.run(good));
}

TEST(Device, ExplainsHangAndRecovers) {
  Device device = Device::open(small_memory(), "model");
  isa::Load waiting = legal_load();
  waiting.sem.wait0_sem = 21;
  waiting.sem.wait0_amount = 1;
  Program program = program_of({legal_load().encode(), waiting.encode()});
  Program good = program_of({legal_load().encode()});
  device.run(good);
  RunOptions options;
  options.admit_deadlocks = true;
  try {
    device.run(program, options);
    FAIL();
  } catch (const DeviceTimeout& error) {
    ASSERT_TRUE(error.hang);
    EXPECT_EQ(error.hang->culprit, HangReport::Culprit::kMissingSignal);
    EXPECT_EQ(error.hang->committed, 1u);
    EXPECT_FALSE(error.hang->cycle);  // the model has no time
    EXPECT_EQ(std::string(error.what())
                  .find("device: nothing moves; 2 of 3 commands dispatched, 1 committed\n  suspect: LOAD #1 waits for "
                        "semaphore 21 (holds 0, needs 1), but no instruction"),
              0u)
        << error.what();
  }
  EXPECT_NO_THROW(device.run(good));
}

TEST(Device, ChecksBeforeRun) {
  Device device = Device::open(small_memory(), "model");
  RunOptions options;
  options.check = true;
  isa::Map map;
  map.dst = 100;
  map.clamp_max = 1;
  Program race = program_of({legal_load().encode(), map.encode()});  // nothing makes MAP wait
  try {
    device.run(race, options);
    FAIL();
  } catch (const ProgramRefused& error) {
    EXPECT_EQ(std::string(error.what()).find("program refused in 'by hand': race on scratchpad row 0"), 0u)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("signal a semaphore in the first command and wait for it in the second"),
              std::string::npos)
        << error.what();
  }
  Program unnamed;
  unnamed.instructions = race.instructions;
  unnamed.binding_bytes = race.binding_bytes;
  try {
    device.run(unnamed, options);
    FAIL();
  } catch (const ProgramRefused& error) {
    EXPECT_EQ(std::string(error.what()).find("program refused: race on"), 0u) << error.what();
  }
  isa::Load unmatched = legal_load();
  unmatched.sem.signal0_amount = 1;
  Program nonzero = program_of({unmatched.encode()});
  EXPECT_THROW(device.run(nonzero, options), ProgramRefused);
  EXPECT_NO_THROW(device.run(race));  // in program order it is harmless
}

TEST(Device, ChecksTheKernelThatAProgramLoads) {
  Device device = Device::open(small_memory(), "model");
  RunOptions options;
  options.check = true;
  const auto words = kernel::assemble("kernel k(sums)\nmove acc[sums], 7\nend\n").words;
  std::vector<std::uint8_t> bytes(words.size() * sizeof words[0]);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  const auto program = [&](int window, int sums) {
    isa::Load load = legal_load();
    load.src = 0;
    load.window = static_cast<std::uint8_t>(window);
    load.space = static_cast<std::uint8_t>(isa::Space::kKernel);
    load.dst_block = 1;
    load.sem.signal0_amount = 1;
    isa::Vector vector;
    vector.arg0 = static_cast<std::uint32_t>(sums);
    vector.sem.wait0_amount = 1;
    return program_of({load.encode(), vector.encode()});
  };
  ASSERT_EQ(bytes.size(), 16u) << "legal_load() loads it";

  Program from_memory = program(kBindingsWindow, 8), beyond = program(kBindingsWindow, device.configuration().acc_rows);
  for (Program* written : {&from_memory, &beyond}) {
    device.place(*written);
    device.write(written->bindings(), bytes.data(), bytes.size());
  }
  EXPECT_NO_THROW(device.run(from_memory, options));
  EXPECT_THROW(device.run(beyond, options), ProgramRefused);

  Program with_constant = program(kConstantsWindow, 8);
  with_constant.constant_bytes = bytes.size();
  with_constant.constants.push_back({0, bytes});
  EXPECT_NO_THROW(device.run(with_constant, options));

  Program alone = program_of({isa::Vector{}.encode()});
  try {
    device.run(alone, options);
    FAIL();
  } catch (const ProgramRefused& error) {
    EXPECT_NE(std::string(error.what()).find("word 0 of the kernel memory, whose content this check does not know"),
              std::string::npos)
        << error.what();
  }
}

TEST(Device, RunsMoreThanTheRingHolds) {
  Device device = Device::open(small_memory(), "model");
  Program odd = program_of(std::vector<isa::Instruction>(37, legal_load().encode()));
  for (int i = 0; i < 100; ++i) {  // around the ring several times, at all offsets
    EXPECT_EQ(device.run(odd).commands, 38u);
  }
  Program large = program_of(std::vector<isa::Instruction>(3000, legal_load().encode()));
  EXPECT_NO_THROW(device.run(large));
  EXPECT_NO_THROW(device.run(odd));
}

TEST(Device, RejectsMismatchedCore) {
  const std::map<std::uint32_t, std::string> registers = {{reg::kIdentity, "IDENTITY reads 0x7"},
                                                          {reg::kIsaVersion, "ISA_VERSION reads 0x7"},
                                                          {reg::kDim, "DIM reads 0x7"},
                                                          {reg::kScratchRows, "SCRATCH_ROWS reads 0x7"},
                                                          {reg::kWeightRows, "WEIGHT_ROWS reads 0x7"},
                                                          {reg::kAccRows, "ACC_ROWS reads 0x7"},
                                                          {reg::kParamRows, "PARAM_ROWS reads 0x7"},
                                                          {reg::kQueueDepth, "QUEUE_DEPTH reads 0x7"}};
  for (const auto& [offset, text] : registers) {
    try {
      Device device(std::make_unique<FaultyBackend>(std::map<std::uint32_t, std::uint32_t>{{offset, 7}}));
      ADD_FAILURE() << text;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW(Device(std::make_unique<FaultyBackend>(std::map<std::uint32_t, std::uint32_t>{})));
}

/// Consistent counters: CYCLES 5, and four engines whose causes add up to it.
std::map<std::uint32_t, std::uint32_t> consistent_counters() {
  constexpr std::uint32_t kCycles = 5, kFetch = static_cast<std::uint32_t>(isa::Cause::kFetch);
  std::map<std::uint32_t, std::uint32_t> register_values = {{reg::kCycles, kCycles}};
  for (std::uint32_t engine = 0; engine < kEngineCount; ++engine) {
    register_values[reg::kCauseCount + 4 * (16 * engine + kFetch)] = kCycles;
  }
  return register_values;
}

/// The error of a run on a device with these counters.
std::string accounting_of(std::map<std::uint32_t, std::uint32_t> register_values) {
  Device device(std::make_unique<FaultyBackend>(std::move(register_values)));
  Program program = program_of({legal_load().encode()});
  try {
    device.run(program);
  } catch (const AccountingError& error) {
    return error.what();
  }
  return {};
}

TEST(Device, DetectsInconsistentCounters) {
  constexpr std::uint32_t kMxuCauses = reg::kCauseCount + 4 * 16,
                          kMxuWaits = reg::kSemaphoreWait + 4 * isa::kSemaphores;
  constexpr std::uint32_t kSemaphore = 4 * static_cast<std::uint32_t>(isa::Cause::kSemaphore);
  constexpr std::uint32_t kFetch = 4 * static_cast<std::uint32_t>(isa::Cause::kFetch);
  EXPECT_EQ(accounting_of(consistent_counters()), "");

  auto lost = consistent_counters();
  lost[kMxuCauses + kFetch] = 4;
  EXPECT_NE(accounting_of(lost).find("the causes of engine MXU add up to 4 cycles, CYCLES to 5"), std::string::npos)
      << accounting_of(lost);

  auto waits = consistent_counters();
  waits[kMxuCauses + kFetch] = 2;
  waits[kMxuCauses + kSemaphore] = 3;
  waits[kMxuWaits + 4 * 17] = 2;
  EXPECT_NE(
      accounting_of(waits).find("the waits for semaphores of engine MXU add up to 2 cycles, the cause SEMAPHORE to 3"),
      std::string::npos)
      << accounting_of(waits);
  waits[kMxuWaits + 4 * 31] = 1;
  EXPECT_EQ(accounting_of(waits), "");

  auto padding = consistent_counters();
  padding[reg::kPaddedVectors] = 1;
  EXPECT_NE(accounting_of(padding).find("PADDED_VECTORS"), std::string::npos) << accounting_of(padding);
}

TEST(Device, ReadsTheCounters) {
  constexpr std::uint32_t kMxuCauses = reg::kCauseCount + 4 * 16,
                          kMxuWaits = reg::kSemaphoreWait + 4 * isa::kSemaphores;
  auto register_values = consistent_counters();
  register_values[kMxuCauses + 4 * static_cast<std::uint32_t>(isa::Cause::kFetch)] = 0;
  register_values[kMxuCauses + 4 * static_cast<std::uint32_t>(isa::Cause::kWorking)] = 2;
  register_values[kMxuCauses + 4 * static_cast<std::uint32_t>(isa::Cause::kSemaphore)] = 3;
  register_values[kMxuWaits + 4 * 17] = 2;
  register_values[kMxuWaits + 4 * 31] = 1;
  register_values[reg::kPaddedVectors] = 1;
  Device device(std::make_unique<FaultyBackend>(std::move(register_values)));
  Program program = program_of({legal_load().encode()});
  const RunStats stats = device.run(program);
  constexpr auto kMxu = static_cast<std::size_t>(isa::Engine::kMxu);
  const auto slots = static_cast<std::uint64_t>(device.configuration().dim * device.configuration().dim);
  EXPECT_EQ(stats.semaphore_waits[kMxu][17], 2u);
  EXPECT_EQ(stats.semaphore_waits[kMxu][31], 1u);
  EXPECT_EQ(stats.rounded_macs, 2 * slots);
  EXPECT_EQ(stats.padded_macs, slots);
}

TEST(Device, DetectsMissingEnd) {
  Device device(std::make_unique<FaultyBackend>(std::map<std::uint32_t, std::uint32_t>{{reg::kEndTag, 0x1234}}));
  Program program = program_of({legal_load().encode()});
  EXPECT_THROW(device.run(program), std::runtime_error);
}

}  // namespace
}  // namespace systole
