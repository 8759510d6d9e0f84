// SPDX-License-Identifier: Apache-2.0
// Each rule of the AXI4 checker fails for a violation, and does not fail for the legal neighbour of the same stimulus.
#include <gtest/gtest.h>

#include "axi4_checker.hpp"
#include "plain_pins.hpp"

namespace systole::check {
namespace {

constexpr int kBytes = 16;

class Axi4 : public ::testing::Test {
 protected:
  Axi4() {
    pins.m_axi_arready_i = pins.m_axi_awready_i = pins.m_axi_wready_i = 1;
    pins.m_axi_rready_o = pins.m_axi_bready_o = 1;
    pins.m_axi_arsize_o = pins.m_axi_awsize_o = 4;
    pins.m_axi_arburst_o = pins.m_axi_awburst_o = 1;
  }
  void edge() { checker.observe(pins); }
  void read(std::uint32_t address, int beats, int id = 0) {
    pins.m_axi_arvalid_o = 1;
    pins.m_axi_araddr_o = address;
    pins.m_axi_arlen_o = beats - 1;
    pins.m_axi_arid_o = id;
    edge();
    pins.m_axi_arvalid_o = 0;
  }
  void write(std::uint32_t address, int beats, int id = 0) {
    pins.m_axi_awvalid_o = 1;
    pins.m_axi_awaddr_o = address;
    pins.m_axi_awlen_o = beats - 1;
    pins.m_axi_awid_o = id;
    edge();
    pins.m_axi_awvalid_o = 0;
  }
  void beats(int count, bool last = true) {
    pins.m_axi_wvalid_o = 1;
    for (int i = 0; i < count; ++i) {
      pins.m_axi_wlast_o = last && i == count - 1;
      pins.m_axi_wdata_o[0] = i;
      edge();
    }
    pins.m_axi_wvalid_o = 0;
  }
  void answer(int count, int id = 0, bool last = true, int response = 0) {
    pins.m_axi_rvalid_i = 1;
    pins.m_axi_rid_i = id;
    pins.m_axi_rresp_i = response;
    for (int i = 0; i < count; ++i) {
      pins.m_axi_rlast_i = last && i == count - 1;
      edge();
    }
    pins.m_axi_rvalid_i = 0;
  }
  void respond(int id = 0, int response = 0) {
    pins.m_axi_bvalid_i = 1;
    pins.m_axi_bid_i = id;
    pins.m_axi_bresp_i = response;
    edge();
    pins.m_axi_bvalid_i = 0;
  }
  /// Exactly one violation, of this rule on this channel.
  void expect(Rule rule, Channel channel) {
    ASSERT_EQ(log.count(), 1u) << log.text();
    EXPECT_EQ(log.violations()[0].rule, rule) << log.text();
    EXPECT_EQ(log.violations()[0].channel, channel) << log.text();
    EXPECT_NE(log.text().find(describe(rule)), std::string::npos);
  }

  PlainPins<kBytes> pins;
  ViolationLog log;
  Axi4Checker<kBytes> checker{log};
};

TEST_F(Axi4, LegalTrafficIsSilent) {
  read(0x1000, 256, 0);
  read(0xFF0, 1, 1);  // ends at the border
  answer(1, 1);       // the other identifier first
  answer(256, 0);
  write(0x40, 4);
  beats(4);
  respond();
  beats(2);  // data ahead of the address
  write(0x80, 2, 1);
  respond(1);
  write(0x100, 1), write(0x200, 3);
  beats(1), beats(3);
  respond(0, 2), respond(0, 3);  // errors are legal answers
  EXPECT_EQ(checker.outstanding(), 0u);
  checker.expect_idle();
  EXPECT_FALSE(log.any()) << log.text();
}

TEST_F(Axi4, StalledChannelsHold) {
  pins.m_axi_arready_i = pins.m_axi_awready_i = pins.m_axi_wready_i = 0;
  pins.m_axi_arvalid_o = pins.m_axi_awvalid_o = pins.m_axi_wvalid_o = pins.m_axi_wlast_o = 1;
  for (int i = 0; i < 5; ++i) edge();
  pins.m_axi_arready_i = pins.m_axi_awready_i = pins.m_axi_wready_i = 1;
  edge();
  EXPECT_FALSE(log.any()) << log.text();
}

TEST_F(Axi4, ValidDroppedOnEachChannel) {
  read(0, 1), write(0, 1), beats(1);
  struct Case {
    std::uint8_t* valid;
    std::uint8_t* ready;
    Channel channel;
  };
  const Case cases[] = {{&pins.m_axi_arvalid_o, &pins.m_axi_arready_i, Channel::kAr},
                        {&pins.m_axi_awvalid_o, &pins.m_axi_awready_i, Channel::kAw},
                        {&pins.m_axi_wvalid_o, &pins.m_axi_wready_i, Channel::kW},
                        {&pins.m_axi_rvalid_i, &pins.m_axi_rready_o, Channel::kR},
                        {&pins.m_axi_bvalid_i, &pins.m_axi_bready_o, Channel::kB}};
  for (const Case& c : cases) {
    log.clear();
    *c.ready = 0;
    *c.valid = 1;
    edge();
    *c.valid = 0;
    edge();
    expect(Rule::kValidDropped, c.channel);
    edge();
    EXPECT_EQ(log.count(), 1u);  // reported once
    *c.ready = 1;
  }
}

TEST_F(Axi4, PayloadChangedInEachField) {
  read(0, 1), write(0, 1), beats(1);
  struct Case {
    std::uint8_t* valid;
    std::uint8_t* ready;
    std::uint8_t* field;
    Channel channel;
  };
  auto low = [](std::uint32_t& word) { return reinterpret_cast<std::uint8_t*>(&word); };
  const Case cases[] = {{&pins.m_axi_arvalid_o, &pins.m_axi_arready_i, low(pins.m_axi_araddr_o), Channel::kAr},
                        {&pins.m_axi_arvalid_o, &pins.m_axi_arready_i, &pins.m_axi_arlen_o, Channel::kAr},
                        {&pins.m_axi_arvalid_o, &pins.m_axi_arready_i, &pins.m_axi_arid_o, Channel::kAr},
                        {&pins.m_axi_arvalid_o, &pins.m_axi_arready_i, &pins.m_axi_arsize_o, Channel::kAr},
                        {&pins.m_axi_awvalid_o, &pins.m_axi_awready_i, low(pins.m_axi_awaddr_o), Channel::kAw},
                        {&pins.m_axi_awvalid_o, &pins.m_axi_awready_i, &pins.m_axi_awlen_o, Channel::kAw},
                        {&pins.m_axi_awvalid_o, &pins.m_axi_awready_i, &pins.m_axi_awburst_o, Channel::kAw},
                        {&pins.m_axi_wvalid_o, &pins.m_axi_wready_i, &pins.m_axi_wdata_o[kBytes - 1], Channel::kW},
                        {&pins.m_axi_wvalid_o, &pins.m_axi_wready_i, low(pins.m_axi_wstrb_o), Channel::kW},
                        {&pins.m_axi_wvalid_o, &pins.m_axi_wready_i, &pins.m_axi_wlast_o, Channel::kW},
                        {&pins.m_axi_rvalid_i, &pins.m_axi_rready_o, &pins.m_axi_rdata_i[3], Channel::kR},
                        {&pins.m_axi_rvalid_i, &pins.m_axi_rready_o, &pins.m_axi_rresp_i, Channel::kR},
                        {&pins.m_axi_rvalid_i, &pins.m_axi_rready_o, &pins.m_axi_rlast_i, Channel::kR},
                        {&pins.m_axi_bvalid_i, &pins.m_axi_bready_o, &pins.m_axi_bresp_i, Channel::kB},
                        {&pins.m_axi_bvalid_i, &pins.m_axi_bready_o, &pins.m_axi_bid_i, Channel::kB}};
  for (const Case& c : cases) {
    log.clear();
    *c.ready = 0;
    *c.valid = 1;
    edge();
    *c.field ^= 1;
    edge();
    expect(Rule::kPayloadChanged, c.channel);
    *c.field ^= 1;
    checker = Axi4Checker<kBytes>(log);
    *c.valid = 0;
    *c.ready = 1;
  }
}

TEST_F(Axi4, BurstType) {
  pins.m_axi_arburst_o = 0;
  read(0, 1);
  expect(Rule::kBurstType, Channel::kAr);
}
TEST_F(Axi4, BurstTypeOfWrite) {
  pins.m_axi_awburst_o = 2;
  write(0, 1);
  expect(Rule::kBurstType, Channel::kAw);
}
TEST_F(Axi4, NarrowRead) {
  pins.m_axi_arsize_o = 2;
  read(0, 1);
  expect(Rule::kNarrow, Channel::kAr);
}
TEST_F(Axi4, NarrowWrite) {
  pins.m_axi_awsize_o = 3;
  write(0, 1);
  expect(Rule::kNarrow, Channel::kAw);
}
TEST_F(Axi4, UnalignedRead) {
  read(0x1004, 1);
  expect(Rule::kUnaligned, Channel::kAr);
}
TEST_F(Axi4, UnalignedWrite) {
  write(0x1008, 1);
  expect(Rule::kUnaligned, Channel::kAw);
}
TEST_F(Axi4, BoundaryCrossedByRead) {
  read(0x1FF0, 2);
  expect(Rule::kBoundary, Channel::kAr);
}
TEST_F(Axi4, BoundaryCrossedByWrite) {
  write(0x1010, 256);
  expect(Rule::kBoundary, Channel::kAw);
}
TEST_F(Axi4, WriteLastEarly) {
  write(0, 3);
  beats(2);
  expect(Rule::kLastEarly, Channel::kW);
}
TEST_F(Axi4, WriteLastMissing) {
  write(0, 3);
  beats(3, false);
  expect(Rule::kLastMissing, Channel::kW);
}
TEST_F(Axi4, WriteDataAheadWithOtherLength) {
  beats(2);
  write(0, 3);
  expect(Rule::kBeatCount, Channel::kW);
}
TEST_F(Axi4, WriteDataAheadPastTheEnd) {
  beats(3, false);
  write(0, 3);
  expect(Rule::kLastMissing, Channel::kW);
}
TEST_F(Axi4, ReadLastEarly) {
  read(0, 4);
  answer(3);
  expect(Rule::kLastEarly, Channel::kR);
}
TEST_F(Axi4, ReadLastMissing) {
  read(0, 4);
  answer(4, 0, false);
  expect(Rule::kLastMissing, Channel::kR);
}
TEST_F(Axi4, UnexpectedRead) {
  answer(1);
  expect(Rule::kUnexpectedResponse, Channel::kR);
}
TEST_F(Axi4, ReadAnswerAtTheEdgeOfItsAddress) {
  pins.m_axi_rvalid_i = pins.m_axi_rlast_i = 1;
  read(0, 1);
  expect(Rule::kUnexpectedResponse, Channel::kR);
}
TEST_F(Axi4, ReadIdMismatch) {
  read(0, 1, 0);
  answer(1, 1);
  expect(Rule::kIdMismatch, Channel::kR);
}
TEST_F(Axi4, UnexpectedWriteResponse) {
  respond();
  expect(Rule::kUnexpectedResponse, Channel::kB);
}
TEST_F(Axi4, WriteResponseBeforeLastBeat) {
  write(0, 2);
  beats(1, false);
  respond();
  expect(Rule::kUnexpectedResponse, Channel::kB);
}
TEST_F(Axi4, WriteResponseBeforeAddress) {
  beats(1);
  respond();
  expect(Rule::kUnexpectedResponse, Channel::kB);
}
TEST_F(Axi4, WriteIdMismatch) {
  write(0, 1, 1);
  beats(1);
  respond(0);
  expect(Rule::kIdMismatch, Channel::kB);
}
TEST_F(Axi4, ExclusiveResponseToRead) {
  read(0, 1);
  answer(1, 0, true, 1);
  expect(Rule::kResponseCode, Channel::kR);
}
TEST_F(Axi4, ExclusiveResponseToWrite) {
  write(0, 1);
  beats(1);
  respond(0, 1);
  expect(Rule::kResponseCode, Channel::kB);
}
TEST_F(Axi4, LeftOver) {
  read(0, 1);
  checker.expect_idle();
  expect(Rule::kLeftOver, Channel::kR);
}

TEST_F(Axi4, ValidInReset) {
  pins.rst_ni = 0;
  pins.m_axi_awvalid_o = 1;
  for (int i = 0; i < 4; ++i) edge();  // the state before the first edges of reset is random
  EXPECT_FALSE(log.any());
  edge();
  expect(Rule::kValidInReset, Channel::kAw);
}

TEST_F(Axi4, ResetPinForgetsTransactions) {
  read(0, 4);
  write(0, 4);
  beats(1, false);
  pins.rst_ni = 0;
  for (int i = 0; i < 8; ++i) edge();
  pins.rst_ni = 1;
  EXPECT_EQ(checker.outstanding(), 0u);
  write(0, 2);
  beats(2);
  respond();
  EXPECT_FALSE(log.any()) << log.text();
}

// Reset by register: the pin stays high, the core completes the started burst with strobes off and takes every
// response. A core that drops its burst instead is detected.
TEST_F(Axi4, ResetByRegisterIsWatched) {
  write(0, 4);
  beats(2, false);
  pins.m_axi_wstrb_o = 0;
  beats(2);
  respond();
  EXPECT_FALSE(log.any()) << log.text();
  write(0x100, 4);
  beats(2, false);
  write(0x200, 1);  // after the forgotten burst
  beats(1);
  expect(Rule::kLastEarly, Channel::kW);
}

TEST_F(Axi4, DataFollowTheirAddress) {
  checker = Axi4Checker<kBytes>(log, "AXI4", 20);
  const auto wait = [&](int cycles) {
    for (int i = 0; i < cycles; ++i) edge();
  };
  write(0, 2);
  wait(10);
  pins.m_axi_wlast_o = 0;
  pins.m_axi_wready_i = 0;  // cycles in which the bus waits do not count
  pins.m_axi_wvalid_o = 1;
  wait(100);
  pins.m_axi_wready_i = 1;
  edge();
  pins.m_axi_wvalid_o = 0;
  wait(7);
  beats(1);
  respond();
  EXPECT_FALSE(log.any()) << log.text();
  write(0, 2);
  beats(1, false);
  wait(30);
  beats(1);
  expect(Rule::kDataLate, Channel::kW);
}

TEST_F(Axi4, KeepsTheFirstAndCountsAll) {
  for (int i = 0; i < 40; ++i) respond();
  EXPECT_EQ(log.count(), 40u);
  EXPECT_EQ(log.violations().size(), 16u);
  EXPECT_NE(log.text().find("and 24 more"), std::string::npos);
}

template <int Bytes>
std::uint64_t narrow_violations(int size) {
  ViolationLog log;
  Axi4Checker<Bytes> checker(log);
  PlainPins<Bytes> pins;
  pins.m_axi_arvalid_o = pins.m_axi_arready_i = pins.m_axi_arburst_o = 1;
  pins.m_axi_arsize_o = size;
  checker.observe(pins);
  return log.count();
}

TEST(Axi4Widths, FullWidthOfEachBus) {
  EXPECT_EQ(narrow_violations<4>(2), 0u);
  EXPECT_EQ(narrow_violations<8>(3), 0u);
  EXPECT_EQ(narrow_violations<16>(4), 0u);
  EXPECT_EQ(narrow_violations<32>(5), 0u);
  EXPECT_EQ(narrow_violations<4>(3), 1u);
  EXPECT_EQ(narrow_violations<32>(4), 1u);
}

}  // namespace
}  // namespace systole::check
