// SPDX-License-Identifier: Apache-2.0
// The registers between an AXI4-Lite master with random pauses and the signals of the core, which the test drives.
// Their clock runs in cycles with event_o or the valid of a pin only; that of the counters always.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>

#include "block_model.hpp"
#include "systole/generated/isa.hpp"
#include "systole/generated/registers.hpp"

namespace systole::test {

enum class Answer { kOkay = 0, kSlaveError = 2 };

template <class Model>
class Bench {
 public:
  explicit Bench(std::uint64_t seed) : rng(seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
    top = std::make_unique<BlockModel<Model>>(&context);
    auto& t = *top;
    t.s_axil_awvalid_i = t.s_axil_wvalid_i = t.s_axil_arvalid_i = t.s_axil_bready_i = t.s_axil_rready_i = 0;
    t.resetting_i = t.bus_fault_valid_i = t.read_beat_i = t.write_beat_i = t.padded_vector_i = t.end_valid_i =
        t.error_valid_i = 0;
    t.test_en_i = 0;
    t.clearing_i = t.end_clear_i = t.nonfinite_i = 0;
    t.engine_busy_i = t.engine_waiting_i = t.waiting_semaphores_i = t.head_i = t.commands_i = 0;
    for (int e = 0; e < 4; ++e) cause(e, isa::Cause::kIdle);
    t.rst_ni = t.core_rst_ni = 0;
    for (int i = 0; i < 3; ++i) tick();
    t.rst_ni = 1;
    tick();
    t.core_rst_ni = 1;
    tick();
    doorbells = 0;  // before reset registers hold anything
    program = false;
  }
  ~Bench() { top->final(); }

  void cause(int e, isa::Cause value) {
    const std::uint64_t mask = std::uint64_t{0x7ff} << (11 * e);
    top->cause_i = (top->cause_i & ~mask) | std::uint64_t{1} << (11 * e + static_cast<int>(value));
  }

  /// One clock cycle. Busy follows the doorbell as the command processor has it.
  void tick() {
    auto& t = *top;
    t.clk_i = t.count_clk_i = 0;
    t.eval();
    if (before_edge) before_edge();
    if (t.doorbell_o) ++doorbells;
    t.busy_i = t.doorbell_o || program;
    t.eval();
    t.clk_i = !t.rst_ni || t.event_o || t.s_axil_awvalid_i || t.s_axil_wvalid_i || t.s_axil_arvalid_i;
    t.count_clk_i = 1;
    rested += !t.clk_i;
    t.eval();
    program = (program || t.busy_i) && !t.end_valid_i && t.core_rst_ni;
    t.clk_i = t.count_clk_i = 0;
    ++now;
  }

  /// A write whose address and data come in any order, and whose answer is taken at any time.
  Answer write(std::uint32_t offset, std::uint32_t value, unsigned strobes = 15) {
    auto& t = *top;
    unsigned address_wait = pause(), data_wait = pause(), answer_wait = pause();
    bool address_done = false, data_done = false;
    t.s_axil_awaddr_i = static_cast<std::uint16_t>(offset);
    t.s_axil_wdata_i = value;
    t.s_axil_wstrb_i = static_cast<std::uint8_t>(strobes);
    for (int i = 0; i < 100; ++i) {
      t.s_axil_awvalid_i = !address_done && address_wait == 0;
      t.s_axil_wvalid_i = !data_done && data_wait == 0;
      t.s_axil_bready_i = answer_wait == 0;
      t.eval();
      const bool address = t.s_axil_awvalid_i && t.s_axil_awready_o, data = t.s_axil_wvalid_i && t.s_axil_wready_o;
      const bool answer = t.s_axil_bvalid_o && t.s_axil_bready_i;
      EXPECT_FALSE(t.s_axil_bvalid_o && !(address_done && data_done)) << "an answer before its request";
      const auto code = static_cast<Answer>(t.s_axil_bresp_o);
      if (address || data) handshake = now;
      tick();
      address_done |= address;
      data_done |= data;
      for (unsigned* wait : {&address_wait, &data_wait, &answer_wait}) *wait -= *wait > 0;
      if (answer) {
        t.s_axil_awvalid_i = t.s_axil_wvalid_i = t.s_axil_bready_i = 0;
        return code;
      }
    }
    ADD_FAILURE() << fmt::format("write of {:#x} has no answer", offset);
    return Answer::kSlaveError;
  }

  std::uint32_t read(std::uint32_t offset, Answer expected = Answer::kOkay) {
    auto& t = *top;
    unsigned address_wait = pause(), answer_wait = pause();
    bool address_done = false, answered = false;
    t.s_axil_araddr_i = static_cast<std::uint16_t>(offset);
    // A counter waits until its engine keeps a cause for two cycles, or comes back to one.
    for (int i = 0; i < 2000; ++i) {
      t.s_axil_arvalid_i = !address_done && address_wait == 0;
      t.s_axil_rready_i = answer_wait == 0;
      t.eval();
      const bool address = t.s_axil_arvalid_i && t.s_axil_arready_o;
      const bool answer = t.s_axil_rvalid_o && t.s_axil_rready_i;
      const std::uint32_t value = t.s_axil_rdata_o;
      const auto code = static_cast<Answer>(t.s_axil_rresp_o);
      // A read is answered three cycles after its address, or later: the cycle of an address that did not wait.
      if (address) answered = false;
      if (t.s_axil_rvalid_o && !answered) {
        answered = true;
        read_handshake = now - 3;
      }
      tick();
      address_done |= address;
      for (unsigned* wait : {&address_wait, &answer_wait}) *wait -= *wait > 0;
      if (answer) {
        t.s_axil_arvalid_i = t.s_axil_rready_i = 0;
        EXPECT_EQ(code, expected) << fmt::format("read of {:#x}", offset);
        return value;
      }
    }
    ADD_FAILURE() << fmt::format("read of {:#x} has no answer", offset);
    return 0;
  }

  void end_program(std::uint32_t tag, bool clear = false) {
    top->end_valid_i = 1;
    top->end_tag_i = tag;
    top->end_clear_i = clear;
    tick();
    top->end_valid_i = top->end_clear_i = 0;
  }
  void raise(isa::Engine engine, isa::ErrorCode code, std::uint32_t index, std::uint32_t address, unsigned number) {
    auto& t = *top;
    t.error_valid_i = 1;
    t.error_i[0] = address;
    t.error_i[1] = index;
    t.error_i[2] = number << 11 | static_cast<unsigned>(engine) << 8 | static_cast<unsigned>(code);
    tick();
    t.error_valid_i = 0;
  }

  std::mt19937_64 rng;
  VerilatedContext context;
  std::unique_ptr<BlockModel<Model>> top;
  std::function<void()> before_edge;  ///< called in each cycle before its clock edge
  bool hurry = false;                 ///< no pauses
  bool program = false;
  unsigned doorbells = 0;
  std::uint64_t rested = 0;              ///< cycles without a clock
  std::uint64_t now = 0, handshake = 0;  ///< cycle, and that of the last write's last handshake
  std::uint64_t read_handshake = 0;      ///< of the last read's address

 private:
  unsigned pause() { return hurry || rng() % 2 ? 0 : static_cast<unsigned>(rng() % 6); }
};

}  // namespace systole::test
