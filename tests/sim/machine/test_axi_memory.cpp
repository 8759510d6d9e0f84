// SPDX-License-Identifier: Apache-2.0
// Timing, order, errors and data of the device memory's AXI port, driven by a plain C++ master under the checker.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <vector>

#include "axi4_checker.hpp"
#include "axi_memory.hpp"
#include "plain_pins.hpp"
#include "seed.hpp"

namespace systole::sim {
namespace {

constexpr int kBytes = 16;

struct Bench {
  explicit Bench(const AxiMemoryTiming& timing, std::uint64_t bytes = 1 << 20)
      : storage(bytes), memory(storage, timing) {
    pins.m_axi_rready_o = pins.m_axi_bready_o = 1;
    pins.m_axi_arsize_o = pins.m_axi_awsize_o = 4;
    pins.m_axi_arburst_o = pins.m_axi_awburst_o = 1;
    for (std::uint64_t i = 0; i < bytes; ++i) storage.data()[i] = static_cast<std::byte>(i * 7 ^ i >> 8);
  }
  /// One clock: afterwards `pins` holds the values sampled at the edge.
  void edge() {
    memory.drive(pins);
    checker.observe(pins);
    memory.sample(pins);
    ++now;
  }
  void read(std::uint32_t address, int beats, int id = 0) {
    pins.m_axi_arvalid_o = 1;
    pins.m_axi_araddr_o = address;
    pins.m_axi_arlen_o = beats - 1;
    pins.m_axi_arid_o = id;
    do edge();
    while (!pins.m_axi_arready_i);
    pins.m_axi_arvalid_o = 0;
  }
  void write_address(std::uint32_t address, int beats, int id = 0) {
    pins.m_axi_awvalid_o = 1;
    pins.m_axi_awaddr_o = address;
    pins.m_axi_awlen_o = beats - 1;
    pins.m_axi_awid_o = id;
    do edge();
    while (!pins.m_axi_awready_i);
    pins.m_axi_awvalid_o = 0;
  }
  void write_beat(std::uint8_t value, bool last, std::uint32_t strobes = 0xFFFF) {
    pins.m_axi_wvalid_o = 1;
    pins.m_axi_wdata_o.fill(value);
    pins.m_axi_wstrb_o = strobes;
    pins.m_axi_wlast_o = last;
    do edge();
    while (!pins.m_axi_wready_i);
    pins.m_axi_wvalid_o = 0;
  }
  Storage storage;
  AxiMemory<kBytes> memory;
  check::PlainPins<kBytes> pins;
  check::ViolationLog log;
  check::Axi4Checker<kBytes> checker{log};
  std::uint64_t now = 0;  // edges passed
};

TEST(AxiMemory, ReadLatencyAndFullRate) {
  Bench bench({});
  bench.read(0x100, 4);
  const std::uint64_t taken = bench.now - 1;
  bench.read(0x200, 2, 1);
  std::vector<std::uint64_t> edges;
  while (edges.size() < 6) {
    bench.edge();
    if (bench.pins.m_axi_rvalid_i) edges.push_back(bench.now - 1 - taken);
  }
  EXPECT_EQ(edges, (std::vector<std::uint64_t>{100, 101, 102, 103, 104, 105}));
  EXPECT_TRUE(bench.memory.idle());
  EXPECT_FALSE(bench.log.any()) << bench.log.text();
}

TEST(AxiMemory, ReadsOverlapWithoutLimit) {
  Bench bench({});
  for (int i = 0; i < 90; ++i) bench.read(i * 16, 1);  // an address every cycle
  EXPECT_EQ(bench.now, 90u);
  int beats = 0;
  while (!bench.memory.idle()) {
    bench.edge();
    beats += bench.pins.m_axi_rvalid_i;
  }
  EXPECT_EQ(beats, 90);
  EXPECT_EQ(bench.now, 190u);  // the last one 100 after its address
}

TEST(AxiMemory, ReadIntervalIsTheBandwidth) {
  AxiMemoryTiming timing;
  timing.read_latency = 10;
  timing.read_interval = 4;
  Bench bench(timing);
  bench.read(0, 5);
  std::vector<std::uint64_t> edges;
  while (edges.size() < 5) {
    bench.edge();
    if (bench.pins.m_axi_rvalid_i) edges.push_back(bench.now - 1);
  }
  EXPECT_EQ(edges, (std::vector<std::uint64_t>{10, 14, 18, 22, 26}));
}

TEST(AxiMemory, WriteLatencyAndInterval) {
  AxiMemoryTiming timing;
  timing.write_latency = 30;
  timing.write_interval = 3;
  Bench bench(timing);
  bench.write_address(0x40, 3);
  const std::uint64_t first = bench.now;
  for (int i = 0; i < 3; ++i) bench.write_beat(i + 1, i == 2);
  EXPECT_EQ(bench.now - first, 7u);  // beats at +0, +3, +6
  const std::uint64_t last = bench.now - 1;
  while (!bench.pins.m_axi_bvalid_i) bench.edge();
  EXPECT_EQ(bench.now - 1 - last, 30u);
  EXPECT_EQ(static_cast<int>(bench.storage.data()[0x40]), 1);
  EXPECT_EQ(static_cast<int>(bench.storage.data()[0x6F]), 3);
  EXPECT_FALSE(bench.log.any()) << bench.log.text();
}

TEST(AxiMemory, HeldAnswersComeLater) {
  AxiMemoryFaults faults;
  AxiMemoryTiming timing;
  timing.read_latency = timing.write_latency = 5;
  timing.faults = &faults;
  Bench bench(timing);
  faults.hold_reads = faults.hold_responses = true;
  bench.read(0, 2);
  bench.write_address(0x40, 1);
  bench.write_beat(1, true);
  for (int i = 0; i < 50; ++i) {
    bench.edge();
    ASSERT_FALSE(bench.pins.m_axi_rvalid_i || bench.pins.m_axi_bvalid_i);
  }
  EXPECT_FALSE(bench.memory.idle());
  faults.hold_reads = false;
  bench.edge();
  EXPECT_TRUE(bench.pins.m_axi_rvalid_i);
  EXPECT_FALSE(bench.pins.m_axi_bvalid_i);
  faults.hold_responses = false;
  bench.edge();
  EXPECT_TRUE(bench.pins.m_axi_bvalid_i);
  EXPECT_TRUE(bench.memory.idle());
  EXPECT_FALSE(bench.log.any()) << bench.log.text();
}

TEST(AxiMemory, StrobesSelectBytes) {
  Bench bench({});
  const std::byte kept = bench.storage.data()[0x41];
  bench.write_address(0x40, 1);
  bench.write_beat(0xEE, true, 0x8001);
  EXPECT_EQ(static_cast<int>(bench.storage.data()[0x40]), 0xEE);
  EXPECT_EQ(bench.storage.data()[0x41], kept);
  EXPECT_EQ(static_cast<int>(bench.storage.data()[0x4F]), 0xEE);
}

TEST(AxiMemory, DataMayComeAheadOfTheAddress) {
  Bench bench({});
  bench.write_beat(5, false);
  bench.write_beat(6, true);
  bench.write_beat(7, true);
  bench.write_address(0x80, 2);
  bench.write_address(0x200, 1);
  while (!bench.memory.idle()) bench.edge();
  EXPECT_EQ(static_cast<int>(bench.storage.data()[0x80]), 5);
  EXPECT_EQ(static_cast<int>(bench.storage.data()[0x90]), 6);
  EXPECT_EQ(static_cast<int>(bench.storage.data()[0x200]), 7);
  EXPECT_EQ(bench.checker.outstanding(), 0u);
  EXPECT_FALSE(bench.log.any()) << bench.log.text();
}

TEST(AxiMemory, OutsideAnswersSlaveError) {
  Bench bench({}, 4096);
  bench.read(0xFF0, 1);
  bench.read(0x1000, 1);
  bench.write_address(0x7FFFFFF0, 1);
  bench.write_beat(1, true);
  std::vector<int> reads, writes;
  while (!bench.memory.idle()) {
    bench.edge();
    if (bench.pins.m_axi_rvalid_i) reads.push_back(bench.pins.m_axi_rresp_i);
    if (bench.pins.m_axi_bvalid_i) writes.push_back(bench.pins.m_axi_bresp_i);
  }
  EXPECT_EQ(reads, (std::vector<int>{0, 2}));
  EXPECT_EQ(writes, (std::vector<int>{2}));
}

/// Random reads of both identifiers; returns how often a later request was answered before an earlier one.
int random_reads(const AxiMemoryTiming& timing, bool in_order) {
  Bench bench(timing);
  Random random(timing.seed + 100);
  struct Request {
    std::uint32_t address;
    int beats, number;
  };
  std::deque<Request> waiting[2];
  Request now{};
  int issued = 0, finished = 0, overtaken = 0, current = -1, beat = 0;
  bool held = false;
  while (finished < 400) {
    if (!held && issued < 400 && random.chance(40)) {
      held = true;
      now = {random.next() % 4000 * 16, 1 + static_cast<int>(random.next() % 8), issued++};
      const int room = (4096 - static_cast<int>(now.address % 4096)) / 16;
      now.beats = now.beats < room ? now.beats : room;
      bench.pins.m_axi_araddr_o = now.address;
      bench.pins.m_axi_arlen_o = now.beats - 1;
      bench.pins.m_axi_arid_o = random.next() & 1;
    }
    bench.pins.m_axi_arvalid_o = held;
    bench.pins.m_axi_rready_o = !random.chance(timing.stall_percent);
    bench.edge();
    if (bench.pins.m_axi_rvalid_i && bench.pins.m_axi_rready_o) {
      const int id = bench.pins.m_axi_rid_i;
      if (current < 0) current = id, beat = 0;
      EXPECT_EQ(id, current) << "interleaved inside a burst";
      const Request& request = waiting[id].front();
      const std::uint32_t address = request.address + beat * 16;
      EXPECT_EQ(std::memcmp(bench.pins.m_axi_rdata_i.data(), bench.storage.data() + address, 16), 0);
      if (++beat == request.beats) {
        const auto& other = waiting[id ^ 1];
        overtaken += !other.empty() && other.front().number < request.number;
        waiting[id].pop_front();
        current = -1;
        ++finished;
      }
    }
    if (held && bench.pins.m_axi_arready_i) {
      waiting[bench.pins.m_axi_arid_o].push_back(now);
      held = false;
    }
    if (bench.now > 1000000) {
      ADD_FAILURE() << "hang";
      break;
    }
  }
  EXPECT_FALSE(bench.log.any()) << bench.log.text();
  if (in_order) {
    EXPECT_EQ(overtaken, 0);
  }
  return overtaken;
}

TEST(AxiMemory, RandomStallsKeepProtocolAndData) {
  const std::uint64_t seed = test::seed();
  for (unsigned stall : {0u, 10u, 50u, 90u}) {
    AxiMemoryTiming timing;
    timing.stall_percent = stall;
    timing.seed = seed + stall;
    random_reads(timing, true);
    timing.random_order = true;
    EXPECT_GT(random_reads(timing, false), 20) << "stall " << stall;
  }
}

TEST(AxiMemory, SeedRepeats) {
  auto run = [](std::uint64_t seed) {
    AxiMemoryTiming timing;
    timing.stall_percent = 30;
    timing.seed = seed;
    Bench bench(timing);
    bench.read(0, 200);
    while (!bench.memory.idle()) bench.edge();
    return bench.now;
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

TEST(Storage, SparseAndBounded) {
  Storage storage(std::uint64_t{1} << 30);
  EXPECT_EQ(static_cast<int>(storage.data()[storage.size() - 1]), 0);
  EXPECT_TRUE(storage.contains(storage.size() - 16, 16));
  EXPECT_FALSE(storage.contains(storage.size() - 15, 16));
  EXPECT_FALSE(storage.contains(~std::uint64_t{0}, 2));
  EXPECT_TRUE(storage.contains(storage.size(), 0));
}

}  // namespace
}  // namespace systole::sim
