// SPDX-License-Identifier: Apache-2.0
// Runs commands through the Verilated STORE engine against a memory that responds late, and compares memory with the
// model: every byte written, and no other.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <deque>
#include <memory>
#include <set>
#include <unordered_map>

#include "block_model.hpp"
#include "bus_ports.hpp"
#include "engine_report.hpp"
#include "store_model.hpp"

namespace systole::test {

/// Timing of the engine's environment. Stalls are probabilities in percent, drawn every cycle.
struct Timing {
  unsigned latency = 100;  ///< cycles from a burst's last data to its response
  unsigned data_stall = 0;
  unsigned address_stall = 0;
  unsigned read_stall = 0;   ///< scratchpad bank taken by another engine, but for cycles that STORE claims
  unsigned command_gap = 0;  ///< no command offered
};

struct Outcome {
  Fault fault;
  std::vector<unsigned> retired;  ///< cycle of each retirement
  std::vector<unsigned> data;     ///< cycle of each data beat
  std::array<unsigned, 11> causes{};
  unsigned cycles = 0;
};

template <typename Top, unsigned Dim>
class StoreBench {
 public:
  static constexpr unsigned kDim = Dim, kScratch = 768, kCycleLimit = 1000000;
  static constexpr unsigned kBlockRows = 720;  ///< rows from here on are exponents
  static constexpr unsigned kPatience = 512;   ///< of tpu_store
  using Memory = std::unordered_map<std::uint32_t, std::uint8_t>;

  explicit StoreBench(std::uint64_t seed) : random(seed), scratch_(kScratch * Dim) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
    top_ = std::make_unique<BlockModel<Top>>(&context_);
    windows.base = {0x00010000, 0xFFF00000, 0x20000040, 0x40000000};
    windows.size = {0x00100000, 0x00100000, 0x00008000, 0x00001000};
    windows.permission = {7, isa::kPermissionWrite, isa::kPermissionWrite,
                          isa::kPermissionRead | isa::kPermissionExecute};
    for (auto& byte : scratch_) byte = static_cast<std::uint8_t>(random.between(0, 255));
    reset();
  }

  void reset() {
    top_->cmd_valid_i = top_->aw_ready_i = top_->w_ready_i = top_->b_i = top_->rd_ready_i = 0;
    windows.drive(*top_);
    top_->rst_ni = 0;
    for (int i = 0; i < 3; ++i) tick();
    top_->rst_ni = 1;
    bursts_.clear();
    beats_.clear();
    responses_.clear();
    actual.clear();
    acknowledged_ = 0;
  }

  /// Offers the commands in order until all have retired or one has faulted, and a while longer.
  Outcome run(const std::vector<isa::Store>& commands, const Timing& timing) {
    Outcome out;
    std::size_t offered = 0;
    std::uint64_t expected_beats = acknowledged_;
    bus_waits_ = rows_read_ = 0;
    unsigned quiet = 0, idle = 0;
    std::uint64_t held_address = 0;
    bool address_held = false, data_held = false, granted = false;
    std::array<std::uint8_t, Dim> held_data{};
    unsigned row = 0;
    while (quiet < 40) {
      top_->cmd_valid_i = offered < commands.size() && (command_held_ || !random.percent(timing.command_gap));
      command_held_ = top_->cmd_valid_i;
      if (command_held_) {
        const isa::Instruction instruction = commands[offered].encode();
        set_port(top_->cmd_instr_i, &instruction, isa::kInstructionBytes);
      }
      top_->aw_ready_i = !random.percent(timing.address_stall);
      top_->w_ready_i = !random.percent(timing.data_stall);
      top_->rd_ready_i = top_->rd_claim_o || !random.percent(timing.read_stall);
      drive_row(granted, row);
      const std::uint64_t acknowledged_before = acknowledged_;
      drive_response(out.cycles);
      settle();

      if (command_held_ && top_->cmd_ready_o) {
        ++offered;
        command_held_ = false;
      }
      if (address_held) {
        EXPECT_TRUE(requested(top_->aw_o)) << "address withdrawn";
      }
      if (requested(top_->aw_o)) {
        const std::uint64_t now = top_->aw_o;
        EXPECT_TRUE(!address_held || held_address == now) << "address changed before it was taken";
        held_address = now;
        if (top_->aw_ready_i) accept_address(out);
      }
      address_held = requested(top_->aw_o) && !top_->aw_ready_i;
      if (data_held) {
        EXPECT_TRUE(top_->w_valid_o) << "data withdrawn";
      }
      if (top_->w_valid_o) {
        Beat beat;
        get_port(top_->w_data_o, beat.data.data(), Dim);
        beat.strobes = top_->w_strb_o;
        beat.last = top_->w_last_o;
        EXPECT_TRUE(!data_held || held_data == beat.data) << "data changed before they were taken";
        held_data = beat.data;
        if (!top_->w_ready_i) ++bus_waits_;
        if (top_->w_ready_i) {
          beats_.push_back(beat);
          out.data.push_back(out.cycles);
        }
      }
      data_held = top_->w_valid_o && !top_->w_ready_i;
      match_beats(out, timing);
      granted = top_->rd_valid_o && top_->rd_ready_i;
      rows_read_ += granted;
      row = top_->rd_row_o;
      if (top_->rd_valid_o) {
        EXPECT_LT(row, kScratch);
      }
      const ReportPort report = report_of(top_->report_o);
      count_cause(out, report.cause);
      if (report.retire) {
        EXPECT_FALSE(out.fault);
        expected_beats += beats_of(commands.at(out.retired.size()), windows, Dim);
        EXPECT_EQ(acknowledged_before, expected_beats) << "not retired in the cycle after its last response";
        out.retired.push_back(out.cycles);
      }
      if (report.fault.valid) {
        EXPECT_FALSE(out.fault) << "second fault";
        EXPECT_LT(out.retired.size(), offered);
        EXPECT_TRUE(bursts_.empty() && responses_.empty() && !requested(top_->aw_o)) << "fault while the bus is owed";
        out.fault = {static_cast<isa::ErrorCode>(report.fault.code), report.fault.addr};
      }
      check_open_bursts(out.cycles);
      idle = report.retire || top_->w_valid_o || top_->b_i || granted ? 0 : idle + 1;
      if (idle > 20000) {
        ADD_FAILURE() << "no progress, command " << out.retired.size();
        break;
      }
      if (out.cycles == kCycleLimit) {
        ADD_FAILURE() << "no end after " << kCycleLimit << " cycles, command " << out.retired.size();
        break;
      }
      const bool over = out.fault ? true : out.retired.size() == commands.size();
      quiet = over ? quiet + 1 : 0;
      tick();
      ++out.cycles;
      if (::testing::Test::HasFailure()) break;
    }
    if (out.fault) {
      EXPECT_EQ(top_->cmd_ready_o, 0);
    }
    EXPECT_TRUE(bursts_.empty() && beats_.empty() && responses_.empty()) << "the bus is left with an open burst";
    command_held_ = false;
    return out;
  }

  /// The expected memory contents after the commands.
  Memory expected(const std::vector<isa::Store>& commands) const {
    Memory memory;
    for (const auto& c : commands) {
      run_store(c, windows, Dim, kScratch, [&](std::uint32_t address, unsigned row, unsigned byte) {
        memory[address] = scratch_[row * Dim + byte];
      });
    }
    return memory;
  }

  BlockModel<Top>& top() { return *top_; }
  void settle() {
    top_->clk_i = 0;
    top_->eval();
  }
  void tick() {
    settle();
    top_->clk_i = 1;
    top_->eval();
  }
  int assertions() const { return context_.errorCount(); }

  Random random;
  Windows windows;
  Memory actual;
  std::set<std::uint32_t> broken;  ///< start addresses of bursts that answer with an error

 private:
  struct Burst {
    std::uint32_t address;
    unsigned beats, sent;
    unsigned due;  ///< cycle by which its last beat has been offered, but for the bus's own waits
  };
  struct Beat {
    std::array<std::uint8_t, Dim> data;
    std::uint32_t strobes;
    bool last;
  };
  struct Response {
    unsigned cycle, beats;
    bool error;
  };

  /// Scratchpad data are valid only in the cycle after a grant.
  void drive_row(bool granted, unsigned row) {
    std::array<std::uint8_t, Dim> bytes;
    for (unsigned i = 0; i < Dim; ++i) {
      bytes[i] =
          granted && row < kScratch ? scratch_[row * Dim + i] : static_cast<std::uint8_t>(random.between(0, 255));
    }
    set_port(top_->rd_data_i, bytes.data(), Dim);
  }

  void drive_response(unsigned cycle) {
    top_->b_i = 0;
    if (responses_.empty() || responses_.front().cycle > cycle) return;
    top_->b_i = responses_.front().error ? kAnswer | kAnswerError : kAnswer;
    acknowledged_ += responses_.front().beats;
    responses_.pop_front();
  }

  void accept_address(const Outcome& out) {
    const auto [address, beats] = request_of(top_->aw_o);
    const auto violation = burst_violation(address, beats, Dim);
    EXPECT_FALSE(violation) << violation.value_or("");
    EXPECT_FALSE(out.fault) << "request after the engine stopped";
    EXPECT_GT(rows_read_, 0u) << "an address before any row has been read";
    // Other bus masters wait for an open burst. In the worst case each byte is in a row of its own, every read is
    // refused until claimed, and earlier bursts are open, too.
    unsigned open_beats = beats;
    for (const Burst& burst : bursts_) open_beats += burst.beats - burst.sent;
    const unsigned bursts = static_cast<unsigned>(bursts_.size()) + 1;
    bursts_.push_back({address, beats, 0, out.cycles - bus_waits_ + bursts * kPatience + 2 * Dim * open_beats + 10});
  }

  void check_open_bursts(unsigned cycle) {
    if (!bursts_.empty()) {
      EXPECT_LE(cycle - bus_waits_, bursts_.front().due) << "an open burst waits for its data";
    }
  }

  void match_beats(const Outcome& out, const Timing& timing) {
    while (!bursts_.empty() && !beats_.empty()) {
      Burst& burst = bursts_.front();
      const Beat& beat = beats_.front();
      for (unsigned i = 0; i < Dim; ++i) {
        if (beat.strobes >> i & 1) actual[burst.address + burst.sent * Dim + i] = beat.data[i];
      }
      ++burst.sent;
      EXPECT_EQ(beat.last, burst.sent == burst.beats);
      if (burst.sent == burst.beats) {
        responses_.push_back({out.cycles + timing.latency, burst.beats, broken.count(burst.address) != 0});
        bursts_.pop_front();
      }
      beats_.pop_front();
    }
  }

  static void count_cause(Outcome& out, unsigned cause) {
    EXPECT_TRUE(cause && !(cause & (cause - 1))) << "cause is not one-hot";
    for (unsigned i = 0; i < out.causes.size(); ++i) out.causes[i] += cause >> i & 1;
  }

  VerilatedContext context_;
  std::unique_ptr<BlockModel<Top>> top_;
  std::vector<std::uint8_t> scratch_;
  std::deque<Burst> bursts_;
  std::deque<Beat> beats_;
  std::deque<Response> responses_;
  std::uint64_t acknowledged_ = 0;
  unsigned rows_read_ = 0;  ///< in this run
  unsigned bus_waits_ = 0;  ///< cycles of this run in which write data waited for the bus
  bool command_held_ = false;
};

}  // namespace systole::test
