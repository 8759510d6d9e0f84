// SPDX-License-Identifier: Apache-2.0
// The guard between random engines and a random bus, with checks in every cycle: the AXI rules on the pins, that data
// pass unchanged, and the order of events around a reset.
#pragma once

#include <verilated.h>

#include <algorithm>
#include <functional>

#include "../loop_nest/pins.hpp"
#include "axi4_checker.hpp"
#include "block_model.hpp"
#include "engine_report.hpp"
#include "engines.hpp"
#include "plain_pins.hpp"
#include "systole/generated/isa.hpp"

namespace systole::test {

template <class Model>
class GuardBench {
 public:
  static constexpr int kDim = sizeof(Model::m_axi_rdata_i);

  struct Rates {
    int fetch = 10, load = 40, aw = 40, w = 60;  ///< chance in percent of a new offer per cycle
    int longest = 32;                            ///< beats of a burst; of a write kLongestWrite at most
  };

  explicit GuardBench(std::uint64_t seed) : rng(seed), top(&context), slave(rng) {
    context.fatalOnError(false);
    context.errorLimit(1000);
    pin_reset();
  }
  ~GuardBench() { top.final(); }

  /// Reset of the whole chip, its bus included.
  void pin_reset() {
    top.rst_ni = 0;
    offering = false;
    top.reset_request_i = 0;
    for (int i = 0; i < 6; ++i) {
      slave.reset();
      reset_engines();
      bus_reads.clear(), bus_writes.clear(), bus_beats.clear();
      slave.drive(pins);
      drive_engines();
      eval();
      checker.observe(pins);
      edge();
    }
    top.rst_ni = 1;
    requested = false;
    was_in_reset = true;
    quiet_cycles = 0;
    read_beats = slave.read_beats;
    write_beats = slave.write_beats;
    cycle();  // the core is released from reset
    offering = true;
  }

  void cycle() {
    slave.drive(pins);
    const Answers good = answers();
    if (tamper) tamper(pins);
    if (offering && top.core_rst_no) offer();
    drive_engines();
    eval();
    if (!tamper) checker.observe(pins);
    EXPECT_FALSE(log.any()) << log.text();
    check_reset();
    observe_bus();
    observe_engines();
    observe_fault();
    const Answers given = answers();
    set_answers(good);
    slave.sample(pins);
    set_answers(given);
    requested = top.reset_request_i;
    const bool core_in_reset = !top.core_rst_no;
    edge();
    top.reset_request_i = 0;
    if (core_in_reset) reset_engines();
  }
  void cycles(int count) {
    for (int i = 0; i < count; ++i) cycle();
  }

  /// Waits until all transactions have ended.
  void finish(int limit = 100000) {
    offering = false;
    for (int i = 0;
         i < limit && !(drained() && fetch.expected.empty() && load.expected.empty() && writer.expected.empty() &&
                        !fetch.valid && !load.valid && !writer.aw_valid && writer.beats.empty());
         ++i) {
      writer.offer(rng, 0, 100, 1);
      cycle();
    }
    cycles(8);
    EXPECT_TRUE(drained());
    EXPECT_TRUE(fetch.expected.empty() && load.expected.empty() && writer.expected.empty()) << "answers are missing";
    EXPECT_EQ(read_beats, slave.read_beats);
    EXPECT_EQ(write_beats, slave.write_beats);
    offering = true;
  }

  /// Beats that the guard dropped correctly.
  void dropped(int beats) { read_beats += beats; }

  bool drained() const {
    return slave.idle() && checker.outstanding() == 0 && bus_reads.empty() && bus_writes.empty() && bus_beats.empty();
  }

  std::mt19937_64 rng;
  VerilatedContext context;
  BlockModel<Model> top;
  check::PlainPins<kDim> pins;  ///< AXI4
  BusSlave<kDim> slave;
  check::ViolationLog log;
  check::Axi4Checker<kDim> checker{log};
  Reader<kDim> fetch, load;
  Writer<kDim> writer;
  Rates rates;
  bool offering = true;
  int stuck = 0, broken_rules = 0;
  std::uint32_t fault_address = 0;                      ///< of the last fault
  std::function<void(check::PlainPins<kDim>&)> tamper;  ///< modifies the responses of the bus slave
  long resets = 0, beats_without_strobes = 0;

 private:
  struct BusRead {
    int id;
    BurstRequest request;
  };

  /// The responses that the bus gives in this cycle.
  struct Answers {
    bool read, response;
    int read_id, response_id;
  };
  Answers answers() const {
    return {pins.m_axi_rvalid_i != 0, pins.m_axi_bvalid_i != 0, pins.m_axi_rid_i, pins.m_axi_bid_i};
  }
  void set_answers(const Answers& answers) {
    pins.m_axi_rvalid_i = answers.read;
    pins.m_axi_bvalid_i = answers.response;
    pins.m_axi_rid_i = answers.read_id;
    pins.m_axi_bid_i = answers.response_id;
  }

  void observe_fault() {
    const FaultPort fault = fault_of(top.fault_o);
    if (!fault.valid) return;
    const auto code = static_cast<isa::ErrorCode>(fault.code);
    EXPECT_TRUE(code == isa::ErrorCode::kBusStuck || code == isa::ErrorCode::kBusProtocol);
    ++(code == isa::ErrorCode::kBusStuck ? stuck : broken_rules);
    fault_address = fault.addr;
  }

  void edge() {
    top.clk_i = 1;
    eval();
    top.clk_i = 0;
    eval();
  }

  /// The model with its AXI4 port taken apart.
  void eval() {
    const auto bit = [](unsigned value, unsigned place) { return value << place; };
    top.m_axi_i = static_cast<std::uint16_t>(
        bit(pins.m_axi_arready_i, 11) | bit(pins.m_axi_awready_i, 10) | bit(pins.m_axi_wready_i, 9) |
        bit(pins.m_axi_rvalid_i, 8) | bit(pins.m_axi_rid_i, 7) | bit(pins.m_axi_rlast_i, 6) |
        bit(pins.m_axi_rresp_i, 4) | bit(pins.m_axi_bvalid_i, 3) | bit(pins.m_axi_bid_i, 2) | pins.m_axi_bresp_i);
    std::memcpy(&top.m_axi_rdata_i, pins.m_axi_rdata_i.data(), kDim);
    top.eval();
    const auto out = [&](int place, int width) { return get_bits(top.m_axi_o, place, width); };
    const auto byte = [&](int place, int width) { return static_cast<std::uint8_t>(out(place, width)); };
    pins.rst_ni = top.rst_ni;
    pins.m_axi_arvalid_o = byte(97, 1), pins.m_axi_arid_o = byte(96, 1);
    pins.m_axi_awvalid_o = byte(95, 1), pins.m_axi_awid_o = byte(94, 1);
    pins.m_axi_rready_o = byte(93, 1), pins.m_axi_bready_o = byte(92, 1);
    pins.m_axi_wvalid_o = byte(91, 1), pins.m_axi_wlast_o = byte(90, 1);
    pins.m_axi_arsize_o = byte(87, 3), pins.m_axi_arburst_o = byte(85, 2);
    pins.m_axi_awsize_o = byte(82, 3), pins.m_axi_awburst_o = byte(80, 2);
    pins.m_axi_arlen_o = byte(72, 8), pins.m_axi_awlen_o = byte(64, 8);
    pins.m_axi_araddr_o = out(32, 32), pins.m_axi_awaddr_o = out(0, 32);
    pins.m_axi_wstrb_o = top.m_axi_wstrb_o;
    std::memcpy(pins.m_axi_wdata_o.data(), &top.m_axi_wdata_o, kDim);
  }

  void reset_engines() {
    fetch = {};
    load = {};
    writer = {};
  }

  void offer() {
    fetch.offer(rng, rates.fetch, 8);
    load.offer(rng, rates.load, rates.longest);
    writer.offer(rng, rates.aw, rates.w, std::min(rates.longest, kLongestWrite));
  }

  void drive_engines() {
    top.fetch_ar_i = packed(fetch.valid, fetch.request);
    top.load_ar_i = packed(load.valid, load.request);
    top.aw_i = packed(writer.aw_valid, writer.request);
    top.w_valid_i = writer.w_valid;
    const WriteBeat<kDim> beat = writer.w_valid ? writer.beats.front() : WriteBeat<kDim>{};
    std::memcpy(&top.w_data_i, beat.data.data(), kDim);
    top.w_strb_i = beat.strobes;
    top.w_last_i = beat.last;
  }

  void check_reset() {
    EXPECT_TRUE(pins.m_axi_rready_o && pins.m_axi_bready_o) << "answers are always taken";
    if (requested) {
      EXPECT_FALSE(top.core_rst_no) << "the cycle after a reset request";
    }
    if (top.resetting_o) {
      EXPECT_FALSE(top.core_rst_no);
    }
    if (!top.core_rst_no) {
      EXPECT_FALSE(top.fetch_ar_ready_o || top.load_ar_ready_o || top.aw_ready_o || top.w_ready_o);
      EXPECT_FALSE((top.fetch_r_o | top.load_r_o | top.b_o) & kAnswer);
    } else if (was_in_reset) {
      EXPECT_TRUE(tamper || drained()) << "the core left reset while the bus was busy";
      ++resets;
    }
    quiet_cycles = drained() && !requested && !top.reset_request_i ? quiet_cycles + 1 : 0;
    if (quiet_cycles > 4) {
      EXPECT_TRUE(top.core_rst_no) << "reset does not end";
    }
    was_in_reset = !top.core_rst_no;
  }

  void observe_bus() {
    if (pins.m_axi_arvalid_o && pins.m_axi_arready_i) {
      ASSERT_FALSE(bus_reads.empty());
      EXPECT_EQ(pins.m_axi_arid_o, bus_reads.front().id);
      EXPECT_EQ(pins.m_axi_araddr_o, bus_reads.front().request.address);
      EXPECT_EQ(pins.m_axi_arlen_o + 1, bus_reads.front().request.beats);
      bus_reads.pop_front();
    }
    if (pins.m_axi_awvalid_o && pins.m_axi_awready_i) {
      ASSERT_FALSE(bus_writes.empty());
      EXPECT_EQ(pins.m_axi_awaddr_o, bus_writes.front().address);
      EXPECT_EQ(pins.m_axi_awlen_o + 1, bus_writes.front().beats);
      bus_writes.pop_front();
    }
    if (pins.m_axi_wvalid_o && pins.m_axi_wready_i) {
      if (bus_beats.empty()) {
        EXPECT_FALSE(top.core_rst_no) << "a beat that the engine did not give";
        EXPECT_EQ(pins.m_axi_wstrb_o, 0u) << "a reset must not write";
        ++beats_without_strobes;
      } else {
        EXPECT_EQ(std::memcmp(&pins.m_axi_wdata_o, bus_beats.front().data.data(), kDim), 0);
        EXPECT_EQ(pins.m_axi_wstrb_o, bus_beats.front().strobes);
        EXPECT_EQ(pins.m_axi_wlast_o, bus_beats.front().last);
        bus_beats.pop_front();
      }
    }
    write_beats += top.write_beat_o;
    read_beats += top.read_beat_o;
    if (!tamper) {
      EXPECT_EQ(read_beats, slave.read_beats) << "a read beat is counted in the cycle after it";
    }
  }

  void observe_engines() {
    if (top.fetch_r_o & kAnswer) fetch.answered(&top.r_data_o, top.fetch_r_o & kAnswerError);
    if (top.load_r_o & kAnswer) load.answered(&top.r_data_o, top.load_r_o & kAnswerError);
    if (top.b_o & kAnswer) {
      ASSERT_FALSE(writer.expected.empty());
      EXPECT_EQ(top.b_o & kAnswerError, faulty(writer.expected.front()));
      writer.expected.pop_front();
    }
    if (fetch.valid && top.fetch_ar_ready_o) {
      bus_reads.push_back({0, fetch.request});
      fetch.taken();
      EXPECT_FALSE(load.valid && top.load_ar_ready_o) << "fetch goes first";
    }
    if (load.valid && top.load_ar_ready_o) {
      bus_reads.push_back({1, load.request});
      load.taken();
    }
    if (writer.aw_valid && top.aw_ready_o) {
      bus_writes.push_back(writer.request);
      writer.expected.push_back(writer.request.address);
      writer.aw_valid = false;
    }
    if (writer.w_valid && top.w_ready_o) {
      bus_beats.push_back(writer.beats.front());
      writer.beats.pop_front();
      writer.w_valid = false;
    }
  }

  std::deque<BusRead> bus_reads;  // taken from the engines, not yet on the bus
  std::deque<BurstRequest> bus_writes;
  std::deque<WriteBeat<kDim>> bus_beats;
  bool requested = false, was_in_reset = true;
  int quiet_cycles = 0;
  long read_beats = 0, write_beats = 0;
};

}  // namespace systole::test
