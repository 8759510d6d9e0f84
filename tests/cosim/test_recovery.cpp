// SPDX-License-Identifier: Apache-2.0
// After every kind of failure that a program can cause, the driver reports it and the device computes correctly again.
#include <gtest/gtest.h>

#include "cases.hpp"
#include "compare.hpp"
#include "matmul.hpp"
#include "seed.hpp"
#include "systole/backends.hpp"

namespace systole::cosim {
namespace {

Program program_of(const std::vector<isa::Instruction>& instructions) {
  Program program;
  program.binding_bytes = 8192;
  program.instructions = instructions;
  program.label_of.assign(instructions.size(), 0);
  program.labels = {"by hand"};
  return program;
}

isa::Load legal_load() {
  isa::Load load;
  load.src = 4096;
  load.run_bytes = 64;
  load.piece_step = load.piece_bytes = load.slot_bytes = 64;
  load.dst_block = 1;
  load.valid_to = 1;
  return load;
}

void expect_sound(Device& device, Source& source) {
  const auto a = source.bytes(20 * 30);
  const auto b = source.bytes(30 * 10);
  const auto result = matmul_raw(device, a, b, 20, 30, 10);
  const auto difference =
      golden::difference(golden::matmul_raw({20, 30, a}, {30, 10, b}), golden::Matrix32{20, 10, result.tensor.data});
  EXPECT_FALSE(difference.has_value()) << difference.value_or("");
}

void expect_error(Device& device, const std::vector<isa::Instruction>& instructions, isa::ErrorCode code,
                  isa::Engine engine, std::size_t index, std::uint32_t address) {
  Program program = program_of(instructions);
  try {
    device.run(program);
    ADD_FAILURE() << "no error, expected " << isa::to_string(code);
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code, code) << error.what();
    EXPECT_EQ(error.engine, engine) << error.what();
    EXPECT_EQ(error.index, index) << error.what();
    EXPECT_EQ(error.address, address) << error.what();
  }
}

void run_on(const std::string& backend, int configuration) {
  if (!has_backend(backend)) {
    GTEST_SKIP() << "this build has no back end " << backend;
  }
  BackendOptions options;
  options.configuration = kConfigurations[static_cast<std::size_t>(configuration)].name;
  options.memory_bytes = std::uint64_t{16} << 20;
  Device device = Device::open(options, backend);
  const Configuration& c = device.configuration();
  Source source(test::seed());
  expect_sound(device, source);

  isa::Load outside = legal_load();
  outside.src = 0xFFFF0000;
  expect_error(device, {legal_load().encode(), outside.encode()}, isa::ErrorCode::kWindow, isa::Engine::kLoad, 1,
               0xFFFF0000);
  expect_sound(device, source);

  isa::Instruction unknown;
  unknown.words[0] = 0xEE;
  expect_error(device, {legal_load().encode(), legal_load().encode(), unknown}, isa::ErrorCode::kIllegalInstruction,
               isa::Engine::kCommand, 2, 0xEE);
  expect_sound(device, source);

  isa::Map map;
  map.dst = static_cast<std::uint16_t>(c.scratch_end() - 1);
  map.out_width = 2;
  map.clamp_max = 1;
  expect_error(device, {map.encode()}, isa::ErrorCode::kScratchRange, isa::Engine::kVpu, 0,
               static_cast<std::uint32_t>(c.scratch_end()));
  expect_sound(device, source);

  isa::Load signalling = legal_load();
  signalling.sem.signal0_sem = 9;
  signalling.sem.signal0_amount = 1;
  expect_error(device, {signalling.encode()}, isa::ErrorCode::kSemaphoreAtEnd, isa::Engine::kCommand, 1, 9);
  expect_sound(device, source);

  isa::Load waiting = legal_load();
  waiting.sem.wait1_sem = 30;
  waiting.sem.wait1_amount = 2;
  Program hanging = program_of({legal_load().encode(), waiting.encode()});
  RunOptions patience;
  patience.quiet_cycles = 2000;
  patience.admit_deadlocks = true;
  try {
    device.run(hanging, patience);
    ADD_FAILURE() << "did not hang";
  } catch (const DeviceTimeout& error) {
    EXPECT_NE(std::string(error.what()).find("LOAD #1 waits for semaphore 30 (holds 0, needs 2)"), std::string::npos)
        << error.what();
  }
  expect_sound(device, source);
}

/// The 64 bytes that a later program can read of those that an earlier one loaded.
std::vector<std::uint8_t> found_after(Device& device, const RunOptions& options) {
  const std::vector<std::uint8_t> bytes(64, 0x5A);
  isa::Load load = legal_load();
  load.dst = 100;
  Program first = program_of({load.encode()});
  device.place(first);
  device.write(first.bindings(), bytes.data(), bytes.size(), load.src);
  const RunStats stats = device.run(first, options);
  EXPECT_EQ(stats.cycles > 0, device.backend().name() == "rtl") << "figures are read before they are cleared";
  isa::Store store;
  store.src = 100;
  store.src_block = 1;
  store.piece_bytes = 64;
  Program second = program_of({store.encode()});
  device.run(second);
  std::vector<std::uint8_t> found(64);
  device.read(second.bindings(), found.data(), found.size(), store.dst);
  return found;
}

void clear_on(const std::string& backend, int configuration) {
  if (!has_backend(backend)) {
    GTEST_SKIP() << "this build has no back end " << backend;
  }
  for (const bool lockstep : {false, true}) {
    if (lockstep && backend != "rtl") continue;
    BackendOptions device_options;
    device_options.configuration = kConfigurations[static_cast<std::size_t>(configuration)].name;
    device_options.memory_bytes = std::uint64_t{16} << 20;
    device_options.lockstep = lockstep;
    Device device = Device::open(device_options, backend);
    RunOptions options;
    EXPECT_EQ(found_after(device, options), std::vector<std::uint8_t>(64, 0x5A));
    options.clear = true;
    EXPECT_EQ(found_after(device, options), std::vector<std::uint8_t>(64, 0));
    EXPECT_EQ(found_after(device, {}), std::vector<std::uint8_t>(64, 0x5A));
    device.reset();
    Source source(test::seed());
    expect_sound(device, source);
  }
}

TEST(model_tiny, Clear) { clear_on("model", 0); }
TEST(rtl_tiny, Clear) { clear_on("rtl", 0); }

TEST(model_tiny, Recovery) { run_on("model", 0); }
TEST(model_default, Recovery) { run_on("model", 2); }
TEST(rtl_tiny, Recovery) { run_on("rtl", 0); }
TEST(rtl_default, Recovery) { run_on("rtl", 2); }

}  // namespace
}  // namespace systole::cosim
