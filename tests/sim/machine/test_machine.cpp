// SPDX-License-Identifier: Apache-2.0
// The whole machine and its Backend, with the test design axi_loopback instead of the core.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "loopback.hpp"
#include "rtl_backend.hpp"
#include "seed.hpp"
#include "systole/errors.hpp"

namespace systole::sim {
namespace {

std::unique_ptr<Backend> make(const BackendOptions& options) {
  return make_machine_backend(options,
                              [](const Configuration& configuration, Storage& storage, const CoreOptions& core) {
                                return loopback::make(configuration.dim, storage, core);
                              });
}

std::vector<std::uint8_t> pattern(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::uint8_t> data(bytes);
  Random random(seed);
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random.next());
  return data;
}

void program(Backend& device, std::uint32_t source, std::uint32_t destination, std::size_t bytes, int burst) {
  device.write_register(loopback::kSource, source);
  device.write_register(loopback::kDestination, destination);
  device.write_register(loopback::kBeats, static_cast<std::uint32_t>(bytes / device.configuration().dim));
  device.write_register(loopback::kBurst, burst);
  device.write_register(loopback::kIrqEnable, 3);
  device.write_register(loopback::kGo, 1);
}

/// Host to device, through the design, back to the host.
void round_trip(Backend& device, std::size_t bytes, std::uint64_t seed) {
  const auto data = pattern(bytes, seed);
  std::vector<std::uint8_t> back(bytes);
  device.wait_copy(device.copy_to_device(0x1000, data.data(), bytes));
  program(device, 0x1000, 0x400000, bytes, 16);
  EXPECT_EQ(device.wait_interrupt(5000), Backend::Wake::kInterrupt);
  EXPECT_EQ(device.read_register(loopback::kIrqStatus), 1u);
  device.write_register(loopback::kIrqStatus, 3);
  device.wait_copy(device.copy_from_device(back.data(), 0x400000, bytes));
  EXPECT_EQ(back, data);
}

TEST(Machine, RoundTripInEachConfiguration) {
  const std::uint64_t seed = test::seed();
  for (const Configuration& configuration : kConfigurations) {
    for (ResponseOrder order : {ResponseOrder::kInOrder, ResponseOrder::kRandom}) {
      BackendOptions options;
      options.configuration = std::string(configuration.name);
      options.stall_percent = order == ResponseOrder::kRandom ? 25 : 0;
      options.order = order;
      options.seed = seed;
      const auto device = make(options);
      EXPECT_EQ(device->configuration().dim, configuration.dim);
      EXPECT_EQ(device->name(), "rtl");
      EXPECT_EQ(device->read_register(loopback::kIdentity), loopback::kIdentityValue);
      round_trip(*device, 40960, seed);
      round_trip(*device, 4096, seed + 1);
      EXPECT_GT(device->simulated_cycles(), 0u);
      EXPECT_GT(device->simulation_seconds(), 0.0);
    }
  }
}

TEST(Machine, SeveralAtOnceAndOneAfterTheOther) {
  std::vector<std::unique_ptr<Backend>> devices;
  for (const char* name : {"tiny", "large", "default", "default"}) {
    BackendOptions options;
    options.configuration = name;
    options.memory_bytes = 16 << 20;
    devices.push_back(make(options));
  }
  for (int round = 0; round < 3; ++round) {
    const auto data = pattern(8192, round);
    std::vector<Backend::CopyId> copies;
    for (auto& device : devices) copies.push_back(device->copy_to_device(0, data.data(), data.size()));
    for (std::size_t i = 0; i < devices.size(); ++i) devices[i]->wait_copy(copies[i]);
    for (auto& device : devices) program(*device, 0, 0x8000, 8192, 8);
    for (std::size_t i = devices.size(); i-- > 0;) {
      EXPECT_EQ(devices[i]->wait_interrupt(5000), Backend::Wake::kInterrupt);
      devices[i]->write_register(loopback::kIrqStatus, 3);
      std::vector<std::uint8_t> back(8192);
      devices[i]->wait_copy(devices[i]->copy_from_device(back.data(), 0x8000, back.size()));
      EXPECT_EQ(back, data);
    }
    devices.erase(devices.begin());  // the others go on
  }
}

TEST(Machine, SameSeedSameCycles) {
  auto run = [](std::uint64_t seed) {
    BackendOptions options;
    options.stall_percent = 30;
    options.order = ResponseOrder::kRandom;
    options.seed = seed;
    const auto device = make(options);
    round_trip(*device, 16384, 1);
    return device->simulated_cycles();
  };
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(3), run(4));
}

TEST(Machine, CopiesRunBesideTheCore) {
  BackendOptions options;
  const auto device = make(options);
  const auto data = pattern(1 << 20, 9);
  const auto small = pattern(16384, 8);
  device->wait_copy(device->copy_to_device(0, small.data(), small.size()));
  const auto copy = device->copy_to_device(0x100000, data.data(), data.size());  // 65536 + 500 cycles
  program(*device, 0, 0x40000, small.size(), 16);
  EXPECT_EQ(device->wait_interrupt(5000), Backend::Wake::kInterrupt);
  const std::uint64_t cycles = device->simulated_cycles();
  EXPECT_LT(cycles, 10000u);  // the copy is still in progress
  device->write_register(loopback::kIrqStatus, 3);
  device->wait_copy(copy);
  std::vector<std::uint8_t> back(data.size());
  device->wait_copy(device->copy_from_device(back.data(), 0x100000, back.size()));
  EXPECT_EQ(back, data);
  EXPECT_LT(device->simulated_cycles(), cycles + 10000);  // the idle core was not simulated through it
}

TEST(Machine, CoreRunsDuringACopyItDoesNotNeed) {
  BackendOptions options;
  const auto device = make(options);
  const auto data = pattern(1 << 20, 9);
  program(*device, 0, 0x40000, 1 << 17, 16);  // 8192 beats, read twice
  device->wait_copy(device->copy_to_device(0x100000, data.data(), data.size()));
  EXPECT_EQ(device->read_register(loopback::kStatus), 0u);
  EXPECT_EQ(device->wait_interrupt(1), Backend::Wake::kInterrupt);  // it is high already
}

TEST(Machine, QuietCoreIsATimeout) {
  const auto device = make({});
  device->write_register(loopback::kMode, loopback::kHang);
  program(*device, 0, 0x40000, 4096, 16);
  const std::uint64_t begin = device->simulated_cycles();
  EXPECT_EQ(device->wait_interrupt(20000), Backend::Wake::kTimeout);
  const std::uint64_t waited = device->simulated_cycles() - begin;
  EXPECT_GE(waited, 20000u);
  EXPECT_LT(waited, 25000u);
}

TEST(Machine, LongInstructionIsNotATimeout) {
  const auto device = make({});
  device->write_register(loopback::kMode, loopback::kWork);
  program(*device, 0, 0x40000, 4096, 16);
  EXPECT_EQ(device->wait_interrupt(4000), Backend::Wake::kInterrupt);
  EXPECT_GT(device->simulated_cycles(), 50000u);
}

TEST(Machine, RunLetsExactlyTheCyclesPass) {
  const auto device = make({});
  device->run(1);
  const std::uint64_t begin = device->simulated_cycles();
  device->run(12345);
  EXPECT_EQ(device->simulated_cycles() - begin, 12345u);
}

TEST(Machine, RegisterErrorNamesTheOffset) {
  const auto device = make({});
  try {
    device->read_register(0x7FC);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("0x7fc"), std::string::npos) << error.what();
  }
  EXPECT_THROW(device->write_register(0x800, 1), std::runtime_error);
  EXPECT_THROW(device->read_register(0x1000), std::runtime_error);
  EXPECT_THROW(device->read_register(2), std::runtime_error);
  EXPECT_EQ(device->read_register(loopback::kStatus), 0u);  // and goes on
}

TEST(Machine, FailedAssertionIsAnExceptionEachTime) {
  const auto device = make({});
  device->write_register(loopback::kMode, loopback::kAssert);
  EXPECT_THROW(device->write_register(loopback::kGo, 1), SimulationError);
  EXPECT_THROW(device->read_register(loopback::kStatus), SimulationError);
  EXPECT_THROW(device->wait_interrupt(10), SimulationError);
  const auto other = make({});  // the process goes on
  round_trip(*other, 4096, 1);
}

TEST(Machine, CopyRangesAreChecked) {
  BackendOptions options;
  options.memory_bytes = 1 << 20;
  const auto device = make(options);
  std::vector<std::uint8_t> data(4096);
  EXPECT_EQ(device->memory_bytes(), 1u << 20);
  EXPECT_THROW(device->copy_to_device((1 << 20) - 4095, data.data(), 4096), std::out_of_range);
  EXPECT_THROW(device->copy_from_device(data.data(), ~std::uint64_t{0}, 4096), std::out_of_range);
  device->wait_copy(device->copy_to_device((1 << 20) - 4096, data.data(), 4096));
  device->wait_copy(device->copy_to_device(0, data.data(), 0));
  EXPECT_THROW(device->wait_copy(99), std::invalid_argument);
}

TEST(Machine, OptionsAreChecked) {
  auto expect_named = [](const char* option, auto change) {
    BackendOptions options;
    change(options);
    try {
      make(options);
      ADD_FAILURE() << option << " accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(option), std::string::npos) << error.what();
    }
  };
  expect_named("configuration", [](BackendOptions& o) { o.configuration = "huge"; });
  expect_named("memory_bytes", [](BackendOptions& o) { o.memory_bytes = 5000; });
  expect_named("memory_bytes", [](BackendOptions& o) { o.memory_bytes = std::uint64_t{1} << 33; });
  expect_named("read_latency", [](BackendOptions& o) { o.memory.read_latency = 0; });
  expect_named("write_latency", [](BackendOptions& o) { o.memory.write_latency = 0; });
  expect_named("read_interval", [](BackendOptions& o) { o.memory.read_interval = 0; });
  expect_named("write_interval", [](BackendOptions& o) { o.memory.write_interval = 0; });
  expect_named("stall_percent", [](BackendOptions& o) { o.stall_percent = 100; });
  expect_named("host_bytes_per_cycle", [](BackendOptions& o) { o.host_bytes_per_cycle = 0; });
  expect_named("trace.file", [](BackendOptions& o) { o.trace.file = "/nonexistent/x.fst"; });
}

}  // namespace
}  // namespace systole::sim
