// SPDX-License-Identifier: Apache-2.0
// Runs commands through the Verilated LOAD engine against a memory with latency, and compares every command's effect
// with the model when it retires.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <deque>
#include <memory>
#include <set>

#include "block_model.hpp"
#include "bus_ports.hpp"
#include "engine_report.hpp"
#include "load_model.hpp"

namespace systole::test {

/// Timing of the engine's environment. Stalls are probabilities in percent, drawn every cycle.
struct Timing {
  unsigned latency = 100;   ///< cycles from an accepted address to its first data
  unsigned read_stall = 0;  ///< no beat although one is due
  unsigned address_stall = 0;
  unsigned write_stall = 0;  ///< memory bank taken by another engine
  unsigned command_gap = 0;  ///< no command offered
};

struct Outcome {
  Fault fault;
  std::vector<unsigned> retired;    ///< cycle of each retirement
  std::vector<unsigned> writes;     ///< cycle of each row write
  std::vector<unsigned> addresses;  ///< cycle of each address handshake
  std::array<unsigned, 11> causes{};
  std::uint64_t beats = 0;
  unsigned late_addresses = 0;  ///< handshakes after a fault
  unsigned cycles = 0;
};

template <typename Top, unsigned Dim>
class LoadBench {
 public:
  static constexpr unsigned kDim = Dim;
  static constexpr unsigned kScratch = 768, kWeights = 256, kParams = 64;
  static constexpr unsigned kCycleLimit = 1000000;

  explicit LoadBench(std::uint64_t seed) : random(seed), actual(Dim, kScratch, kWeights, kParams), expected(actual) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
    top_ = std::make_unique<BlockModel<Top>>(&context_);
    windows.base = {0x00010000, 0xFFF00000, 0x20000040, 0x40000000};
    windows.size = {0x00100000, 0x00100000, 0x00008000, 0x00001000};
    windows.permission = {7, isa::kPermissionRead, isa::kPermissionRead,
                          isa::kPermissionWrite | isa::kPermissionExecute};
    reset();
  }

  void reset() {
    top_->cmd_valid_i = top_->ar_ready_i = top_->r_i = top_->wr_ready_i = 0;
    windows.drive(*top_);
    top_->rst_ni = 0;
    for (int i = 0; i < 3; ++i) tick();
    top_->rst_ni = 1;
    due_.clear();
  }

  /// Offers the commands in order until all have retired or one has faulted, and a while longer.
  Outcome run(const std::vector<isa::Load>& commands, const Timing& timing) {
    Outcome out;
    std::size_t offered = 0;
    std::uint64_t expected_beats = 0;
    unsigned quiet = 0, since_progress = 0;
    bool ar_held = false;
    std::uint64_t held = 0;
    while (quiet < 40) {
      top_->cmd_valid_i = offered < commands.size() && (held_command_ || !random.percent(timing.command_gap));
      held_command_ = top_->cmd_valid_i;
      if (held_command_) {
        const isa::Instruction instruction = commands[offered].encode();
        set_port(top_->cmd_instr_i, &instruction, isa::kInstructionBytes);
      }
      top_->ar_ready_i = !random.percent(timing.address_stall);
      top_->wr_ready_i = !random.percent(timing.write_stall);
      drive_beat(out.cycles, timing);
      settle();

      if (held_command_ && top_->cmd_ready_o) {
        ++offered;
        held_command_ = false;
      }
      if (requested(top_->ar_o)) {
        const std::uint64_t now = top_->ar_o;
        EXPECT_TRUE(!ar_held || held == now) << "address changed before it was taken";
        held = now;
        ar_held = !top_->ar_ready_i;
        if (top_->ar_ready_i) accept_address(out, timing);
      } else {
        EXPECT_FALSE(ar_held) << "address withdrawn";
      }
      const ReportPort report = report_of(top_->report_o);
      count_cause(out, report.cause);
      if (report.retire) {
        expected_beats += beats_of(commands.at(out.retired.size()), windows, Dim);
        check_command(commands.at(out.retired.size()), out);
      }
      if (writes() && top_->wr_ready_i) write_row(out);  // of the next command perhaps
      if (report.fault.valid) {
        EXPECT_FALSE(out.fault) << "second fault";
        EXPECT_LT(out.retired.size(), offered);
        out.fault = {static_cast<isa::ErrorCode>(report.fault.code), report.fault.addr};
      }
      since_progress = report.retire || writes() || top_->r_i ? 0 : since_progress + 1;
      if (since_progress > 20000) {
        ADD_FAILURE() << "no progress, command " << out.retired.size();
        break;
      }
      if (out.cycles == kCycleLimit) {
        ADD_FAILURE() << "no end after " << kCycleLimit << " cycles, command " << out.retired.size();
        break;
      }
      const bool over = out.fault ? true : out.retired.size() == commands.size();
      quiet = over && due_.empty() ? quiet + 1 : 0;
      tick();
      ++out.cycles;
      if (::testing::Test::HasFailure()) break;
    }
    if (out.fault) {
      EXPECT_EQ(top_->cmd_ready_o, 0);
    } else {
      EXPECT_EQ(out.beats, expected_beats) << "runs are not read exactly once";
    }
    held_command_ = false;
    return out;
  }

  /// One command that no bench would run, to its end if there is one.
  void offer(const isa::Load& command) {
    const isa::Instruction instruction = command.encode();
    set_port(top_->cmd_instr_i, &instruction, isa::kInstructionBytes);
    top_->ar_ready_i = top_->wr_ready_i = top_->cmd_valid_i = 1;
    Outcome out;
    for (int cycle = 0; cycle < 100; ++cycle, ++out.cycles) {
      drive_beat(out.cycles, {1});
      settle();
      if (requested(top_->ar_o)) accept_address(out, {1});
      tick();
      top_->cmd_valid_i = 0;
    }
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
  LoadMemories actual, expected;
  std::set<std::uint32_t> broken;  ///< beat addresses that answer with an error

 private:
  struct Beat {
    unsigned cycle;
    std::uint32_t address;
  };

  void drive_beat(unsigned cycle, const Timing& timing) {
    top_->r_i = 0;
    if (due_.empty() || due_.front().cycle > cycle || random.percent(timing.read_stall)) return;
    const std::uint32_t address = due_.front().address;
    std::array<std::uint8_t, Dim> bytes;
    for (unsigned i = 0; i < Dim; ++i) bytes[i] = memory_byte(address + i);
    set_port(top_->r_data_i, bytes.data(), Dim);
    top_->r_i = broken.count(address) ? kAnswer | kAnswerError : kAnswer;
    due_.pop_front();
  }

  void accept_address(Outcome& out, const Timing& timing) {
    const auto [address, beats] = request_of(top_->ar_o);
    const auto violation = burst_violation(address, beats, Dim);
    EXPECT_FALSE(violation) << violation.value_or("");
    for (unsigned i = 0; i < beats; ++i) due_.push_back({out.cycles + timing.latency, address + i * Dim});
    EXPECT_LE(due_.size(), static_cast<std::size_t>(isa::kLineBufferBeats));
    out.beats += beats;
    out.addresses.push_back(out.cycles);
    if (out.fault) ++out.late_addresses;
    EXPECT_LE(out.late_addresses, 1u) << "only the address already offered may follow a fault";
  }

  bool writes() const { return top_->wr_o >> 18; }

  void write_row(Outcome& out) {
    std::array<std::uint8_t, Dim> bytes;
    get_port(top_->wr_data_o, bytes.data(), Dim);
    const unsigned space = top_->wr_o >> 16 & 3, row = top_->wr_o & 0xffff;
    out.writes.push_back(out.cycles);
    ASSERT_LT(space, actual.space.size());
    ASSERT_LT(row, actual.rows(space));
    EXPECT_NE(top_->wr_mask_o, 0u);
    EXPECT_FALSE(out.fault) << "write after a fault";
    for (unsigned i = 0; i < Dim; ++i) {
      if (top_->wr_mask_o >> i & 1) actual.space[space][row * Dim + i] = bytes[i];
    }
  }

  static void count_cause(Outcome& out, unsigned cause) {
    EXPECT_TRUE(cause && !(cause & (cause - 1))) << "cause is not one-hot";
    for (unsigned i = 0; i < out.causes.size(); ++i) out.causes[i] += cause >> i & 1;
  }

  void check_command(const isa::Load& command, Outcome& out) {
    const Fault fault =
        run_load(command, windows, expected, [&](unsigned space, unsigned row, unsigned byte, std::uint8_t value) {
          expected.space[space][row * Dim + byte] = value;
        });
    EXPECT_FALSE(fault) << "retired although the model has a fault";
    for (unsigned s = 0; s < actual.space.size(); ++s) {
      EXPECT_EQ(actual.space[s], expected.space[s]) << "space " << s << ", command " << out.retired.size();
    }
    out.retired.push_back(out.cycles);
  }

  VerilatedContext context_;
  std::unique_ptr<BlockModel<Top>> top_;
  std::deque<Beat> due_;
  bool held_command_ = false;
};

}  // namespace systole::test
