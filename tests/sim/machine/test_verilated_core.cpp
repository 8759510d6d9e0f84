// SPDX-License-Identifier: Apache-2.0
// The clock loop around a Verilated design: data, timing, register bus, checkers, assertions, waveform; without
// SystemC.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "loopback.hpp"
#include "seed.hpp"
#include "systole/file_error.hpp"

namespace systole::sim {
namespace {

struct Bench {
  explicit Bench(int bytes, CoreOptions options = {}, std::uint64_t size = 1 << 20)
      : storage(size), core(loopback::make(bytes, storage, options)) {
    for (std::uint64_t i = 0; i < size; ++i) storage.data()[i] = static_cast<std::byte>(i * 11 ^ i >> 9);
  }
  RegisterAnswer access(bool write, std::uint32_t offset, std::uint32_t value = 0) {
    core->start_access({write, offset, value});
    while (core->access_pending()) core->run(1000);
    return core->answer();
  }
  void write(std::uint32_t offset, std::uint32_t value) { EXPECT_EQ(access(true, offset, value).response, 0u); }
  std::uint32_t read(std::uint32_t offset) { return access(false, offset).value; }
  void start(std::uint32_t source, std::uint32_t destination, int beats, int burst) {
    write(loopback::kSource, source);
    write(loopback::kDestination, destination);
    write(loopback::kBeats, beats);
    write(loopback::kBurst, burst);
    write(loopback::kIrqEnable, 3);
    write(loopback::kGo, 1);
  }
  std::uint64_t wait() {
    const std::uint64_t begin = core->cycles();
    while (!core->interrupt() && core->cycles() - begin < 1000000) core->run(1024);
    EXPECT_TRUE(core->interrupt());
    return core->cycles() - begin;
  }
  std::uint32_t checksum(std::uint32_t source, int beats, int bytes) const {
    std::uint32_t sum = 0, word;
    for (int i = 0; i < beats; ++i) {
      std::memcpy(&word, storage.data() + source + i * bytes, 4);
      sum += word;
    }
    return sum;
  }
  Storage storage;
  std::unique_ptr<CoreModel> core;
};

class Widths : public ::testing::TestWithParam<int> {};

TEST_P(Widths, CopiesUnderStallsAndReordering) {
  const int bytes = GetParam();
  const std::uint64_t seed = test::seed();
  for (unsigned stall : {0u, 20u, 70u}) {
    for (bool reorder : {false, true}) {
      CoreOptions options;
      options.seed = seed;
      options.memory.stall_percent = stall;
      options.memory.random_order = reorder;
      options.memory.seed = seed + stall;
      Bench bench(bytes, options);
      EXPECT_EQ(bench.read(loopback::kIdentity), loopback::kIdentityValue);
      bench.start(0x1000, 0x40000, 700, 16);
      bench.wait();
      EXPECT_EQ(bench.read(loopback::kIrqStatus), 1u);
      EXPECT_EQ(std::memcmp(bench.storage.data() + 0x1000, bench.storage.data() + 0x40000, 700 * bytes), 0);
      EXPECT_EQ(bench.read(loopback::kChecksum), bench.checksum(0x1000, 700, bytes));
      bench.write(loopback::kIrqStatus, 3);
      bench.core->run(10);
      EXPECT_FALSE(bench.core->interrupt());
      EXPECT_TRUE(bench.core->bus_idle());
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Bus, Widths, ::testing::Values(4, 8, 16, 32));

TEST(VerilatedCore, RegisterErrorIsSeen) {
  Bench bench(8);
  EXPECT_EQ(bench.access(false, 0x7FC).response, 2u);
  EXPECT_EQ(bench.access(true, 0x800, 1).response, 2u);
  EXPECT_EQ(bench.access(false, loopback::kStatus).response, 0u);
}

TEST(VerilatedCore, BusErrorReachesTheDesign) {
  Bench bench(16, {}, 1 << 16);
  bench.start(0xFF00, 0x1000, 32, 4);  // 0xFF00 + 512 bytes: the second half lies outside
  bench.wait();
  EXPECT_EQ(bench.read(loopback::kIrqStatus), 3u);
}

TEST(VerilatedCore, RunEndsWithTheInterrupt) {
  Bench bench(16);
  bench.start(0, 0x8000, 16, 16);
  const std::uint64_t ran = bench.core->run(100000);
  EXPECT_TRUE(bench.core->interrupt());
  EXPECT_LT(ran, 400u);
  EXPECT_GT(ran, 200u);  // one read and one write latency
}

TEST(VerilatedCore, FailedAssertionIsAnException) {
  Bench bench(16);
  bench.write(loopback::kMode, loopback::kAssert);
  try {
    bench.write(loopback::kGo, 1);
    FAIL() << "no exception";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("NoAssertMode"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("axi_loopback.sv"), std::string::npos) << error.what();
    EXPECT_GT(error.cycle(), 16u);  // after the reset
  }
}

TEST(VerilatedCore, BrokenProtocolIsAnException) {
  CoreOptions options;
  options.memory.stall_percent = 60;
  Bench bench(16, options);
  bench.write(loopback::kMode, loopback::kDrop);
  bench.start(0, 0x8000, 400, 4);
  try {
    bench.wait();
    FAIL() << "no exception";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("AW: valid fell before ready"), std::string::npos) << error.what();
  }
}

TEST(VerilatedCore, InitialContentsFollowTheSeed) {
  auto contents = [](std::uint64_t seed) {
    CoreOptions options;
    options.seed = seed;
    Bench bench(16, options);
    return bench.read(loopback::kSource);  // has no reset
  };
  EXPECT_EQ(contents(1), contents(1));
  EXPECT_NE(contents(1), contents(2));
}

// A design without tpu_core's signals is observed at its bus. This one reads each burst twice, with either identifier.
TEST(VerilatedCore, BurstsAreObserved) {
  struct Counter : CoreObserver {
    void burst(std::uint64_t cycle, bool write, std::uint64_t address, unsigned beats, unsigned id) override {
      EXPECT_GE(cycle, last);
      last = cycle;
      unsigned& sum = write ? writes : reads.at(id);
      EXPECT_EQ(address, (write ? 0x40000u : 0x1000u) + sum * 16);
      sum += beats;
    }
    std::uint64_t last = 0;
    std::array<unsigned, 2> reads{};
    unsigned writes = 0;
  } counter;
  CoreOptions options;
  options.memory.stall_percent = 30;
  Bench bench(16, options);
  bench.core->observe(&counter);
  bench.start(0x1000, 0x40000, 700, 16);
  bench.wait();
  EXPECT_EQ(counter.reads[0], 700u);
  EXPECT_EQ(counter.reads[1], 700u);
  EXPECT_EQ(counter.writes, 700u);
  EXPECT_LT(counter.last, bench.core->cycles());
  bench.core->observe(nullptr);
  bench.write(loopback::kIrqStatus, 3);
  bench.start(0x1000, 0x40000, 16, 16);
  bench.wait();
  EXPECT_EQ(counter.writes, 700u);
}

TEST(VerilatedCore, WritesAWaveform) {
  const std::string file = ::testing::TempDir() + "/systole_loopback.fst";
  {
    CoreOptions options;
    options.trace.file = file;
    Bench bench(4, options);
    bench.start(0, 0x8000, 16, 16);
    bench.wait();
  }
  EXPECT_GT(std::filesystem::file_size(file), 1000u);
  std::remove(file.c_str());
  CoreOptions options;
  options.trace.file = "/nonexistent/x.fst";
  EXPECT_THROW(Bench(4, options), FileError);
}

}  // namespace
}  // namespace systole::sim
