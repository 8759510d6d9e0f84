// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "axi_lite_checker.hpp"
#include "plain_pins.hpp"

namespace systole::check {
namespace {

class AxiLite : public ::testing::Test {
 protected:
  AxiLite() {
    pins.s_axil_awready_o = pins.s_axil_wready_o = pins.s_axil_arready_o = 1;
    pins.s_axil_bready_i = pins.s_axil_rready_i = 1;
  }
  void edge() { checker.observe(pins); }
  void pulse(std::uint8_t& valid) {
    valid = 1;
    edge();
    valid = 0;
  }
  void expect(Rule rule, Channel channel) {
    ASSERT_EQ(log.count(), 1u) << log.text();
    EXPECT_EQ(log.violations()[0].rule, rule) << log.text();
    EXPECT_EQ(log.violations()[0].channel, channel) << log.text();
  }
  PlainPins<4> pins;
  ViolationLog log;
  AxiLiteChecker checker{log};
};

TEST_F(AxiLite, LegalTrafficIsSilent) {
  pulse(pins.s_axil_awvalid_i);
  pulse(pins.s_axil_wvalid_i);
  pulse(pins.s_axil_bvalid_o);
  pulse(pins.s_axil_wvalid_i);  // data first
  pulse(pins.s_axil_awvalid_i);
  pins.s_axil_bresp_o = 2;
  pulse(pins.s_axil_bvalid_o);
  pulse(pins.s_axil_arvalid_i);
  pulse(pins.s_axil_rvalid_o);
  checker.expect_idle();
  EXPECT_FALSE(log.any()) << log.text();
}

TEST_F(AxiLite, ValidDroppedOnEachChannel) {
  pulse(pins.s_axil_awvalid_i), pulse(pins.s_axil_wvalid_i), pulse(pins.s_axil_arvalid_i);
  struct Case {
    std::uint8_t* valid;
    std::uint8_t* ready;
    Channel channel;
  };
  const Case cases[] = {{&pins.s_axil_awvalid_i, &pins.s_axil_awready_o, Channel::kAw},
                        {&pins.s_axil_wvalid_i, &pins.s_axil_wready_o, Channel::kW},
                        {&pins.s_axil_bvalid_o, &pins.s_axil_bready_i, Channel::kB},
                        {&pins.s_axil_arvalid_i, &pins.s_axil_arready_o, Channel::kAr},
                        {&pins.s_axil_rvalid_o, &pins.s_axil_rready_i, Channel::kR}};
  for (const Case& c : cases) {
    log.clear();
    *c.ready = 0;
    pulse(*c.valid);
    edge();
    expect(Rule::kValidDropped, c.channel);
    *c.ready = 1;
  }
}

TEST_F(AxiLite, PayloadChangedOnEachChannel) {
  struct Case {
    std::uint8_t* valid;
    std::uint8_t* ready;
    void* field;
    Channel channel;
  };
  const Case cases[] = {{&pins.s_axil_awvalid_i, &pins.s_axil_awready_o, &pins.s_axil_awaddr_i, Channel::kAw},
                        {&pins.s_axil_wvalid_i, &pins.s_axil_wready_o, &pins.s_axil_wdata_i, Channel::kW},
                        {&pins.s_axil_wvalid_i, &pins.s_axil_wready_o, &pins.s_axil_wstrb_i, Channel::kW},
                        {&pins.s_axil_bvalid_o, &pins.s_axil_bready_i, &pins.s_axil_bresp_o, Channel::kB},
                        {&pins.s_axil_arvalid_i, &pins.s_axil_arready_o, &pins.s_axil_araddr_i, Channel::kAr},
                        {&pins.s_axil_rvalid_o, &pins.s_axil_rready_i, &pins.s_axil_rdata_o, Channel::kR},
                        {&pins.s_axil_rvalid_o, &pins.s_axil_rready_i, &pins.s_axil_rresp_o, Channel::kR}};
  for (const Case& c : cases) {
    log.clear();
    *c.ready = 0;
    *c.valid = 1;
    edge();
    *static_cast<std::uint8_t*>(c.field) ^= 4;
    edge();
    expect(Rule::kPayloadChanged, c.channel);
    *static_cast<std::uint8_t*>(c.field) ^= 4;
    *c.valid = 0;
    *c.ready = 1;
    checker = AxiLiteChecker(log);
  }
}

TEST_F(AxiLite, UnalignedRead) {
  pins.s_axil_araddr_i = 2;
  pulse(pins.s_axil_arvalid_i);
  expect(Rule::kUnaligned, Channel::kAr);
}
TEST_F(AxiLite, UnalignedWrite) {
  pins.s_axil_awaddr_i = 0x21;
  pulse(pins.s_axil_awvalid_i);
  expect(Rule::kUnaligned, Channel::kAw);
}
TEST_F(AxiLite, UnexpectedRead) {
  pulse(pins.s_axil_rvalid_o);
  expect(Rule::kUnexpectedResponse, Channel::kR);
}
TEST_F(AxiLite, WriteResponseBeforeData) {
  pulse(pins.s_axil_awvalid_i);
  pulse(pins.s_axil_bvalid_o);
  expect(Rule::kUnexpectedResponse, Channel::kB);
}
TEST_F(AxiLite, WriteResponseBeforeAddress) {
  pulse(pins.s_axil_wvalid_i);
  pulse(pins.s_axil_bvalid_o);
  expect(Rule::kUnexpectedResponse, Channel::kB);
}
TEST_F(AxiLite, ExclusiveResponse) {
  pulse(pins.s_axil_arvalid_i);
  pins.s_axil_rresp_o = 1;
  pulse(pins.s_axil_rvalid_o);
  expect(Rule::kResponseCode, Channel::kR);
}
TEST_F(AxiLite, LeftOver) {
  pulse(pins.s_axil_arvalid_i);
  checker.expect_idle();
  expect(Rule::kLeftOver, Channel::kR);
}
TEST_F(AxiLite, ValidInReset) {
  pins.rst_ni = 0;
  pins.s_axil_rvalid_o = 1;
  for (int i = 0; i < 4; ++i) edge();
  EXPECT_FALSE(log.any());
  edge();
  expect(Rule::kValidInReset, Channel::kR);
}

TEST(Stream, HoldsUntilReady) {
  ViolationLog log;
  StreamChecker<int> stream("words", log);
  stream.observe(true, false, 7);
  stream.observe(true, true, 7);
  stream.observe(true, true, 8);
  stream.observe(false, false, 9);
  EXPECT_FALSE(log.any()) << log.text();
  stream.observe(true, false, 1);
  stream.observe(true, false, 2);
  ASSERT_EQ(log.count(), 1u);
  EXPECT_EQ(log.violations()[0].rule, Rule::kPayloadChanged);
  EXPECT_EQ(log.violations()[0].cycle, 5u);
  stream.observe(false, true, 2);
  ASSERT_EQ(log.count(), 2u);
  EXPECT_EQ(log.violations()[1].rule, Rule::kValidDropped);
}

}  // namespace
}  // namespace systole::check
