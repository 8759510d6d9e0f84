// SPDX-License-Identifier: Apache-2.0
// The Verilated vector unit with its memories as C++ arrays, ports that stall at random, and read data that are valid
// in one cycle only; words of the kernel memory until the next read.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "../loop_nest/pins.hpp"
#include "../processor/plane_requests.hpp"
#include "block_model.hpp"
#include "engine_report.hpp"
#include "reference.hpp"

namespace systole::test {

/// Probability, in 1/256, that a port does not grant in a cycle.
struct Stalls {
  int read = 0, acc_read = 0, acc_write = 0, command = 0;
};

template <typename Model>
class VectorBench {
 public:
  VectorBench(const VectorSizes& sizes, std::uint64_t seed)
      : machine(sizes), written_at(static_cast<std::size_t>(sizes.scratch_rows)), sizes_(sizes), random_(seed) {
    top_.clk_i = 0;
    reset();
  }
  ~VectorBench() { top_.final(); }

  /// Reset, and clearing of registers and tables, as the core does it.
  void reset() {
    top_.rst_ni = 0;
    top_.cmd_valid_i = 0;
    for (int i = 0; i < 3; ++i) cycle({});
    top_.rst_ni = 1;
    held_read_ = {};
    held_acc_ = held_acc_write_ = {};
    fault.reset();
    top_.clear_i = 1;
    for (int row = 0; row < kernel::kTableWords + 64; ++row) {
      top_.clear_row_i = static_cast<std::uint16_t>(row);
      cycle({});
    }
    top_.clear_i = 0;
    std::fill(machine.table.begin(), machine.table.end(), 0);
    std::fill(machine.registers.begin(), machine.registers.end(), 0);
    std::fill(machine.words.begin(), machine.words.end(), 0);
  }

  /// What the pins do not show, as a reference has it after the same commands.
  void keep_hidden(const VectorMachine& reference) {
    machine.table = reference.table;
    machine.registers = reference.registers;
    machine.words = reference.words;
  }

  /// Runs the commands until all have retired or one has faulted. Fails the test when neither happens.
  void run(const std::vector<isa::Instruction>& program, const Stalls& stalls) {
    std::deque<isa::Instruction> queue(program.begin(), program.end());
    retired = 0;
    retired_at.clear();
    fault.reset();
    causes.fill(0);
    const std::uint64_t limit = cycles + 4000000;
    while (retired < program.size() && !fault) {
      ASSERT_LT(cycles, limit) << "the unit hangs with " << retired << " of " << program.size() << " commands retired";
      if (!top_.cmd_valid_i && !queue.empty() && !chance(stalls.command)) {
        top_.cmd_valid_i = 1;
        for (int w = 0; w < 16; ++w) top_.cmd_instr_i[w] = queue.front().words[static_cast<std::size_t>(w)];
        queue.pop_front();
      }
      ASSERT_NO_FATAL_FAILURE(cycle(stalls));
    }
    top_.cmd_valid_i = 0;
  }

  void idle(int count) {
    for (int i = 0; i < count; ++i) ASSERT_NO_FATAL_FAILURE(cycle({}));
  }

  VectorMachine machine;
  std::uint64_t cycles = 0;
  std::size_t retired = 0;
  std::vector<std::uint64_t> retired_at;  ///< in cycles, of each command of the program
  std::vector<std::uint64_t> written_at;  ///< in cycles, the latest write of each scratchpad row
  std::optional<VectorFault> fault;
  std::array<std::uint64_t, 11> causes{};

 private:
  struct Request {
    bool valid = false;
    std::uint32_t row = 0;
  };

  bool chance(int in_256) { return static_cast<int>(random_() & 0xff) < in_256; }
  std::uint32_t garbage() { return static_cast<std::uint32_t>(random_()); }

  template <typename Pin>
  void put_row(Pin& pin, const std::int8_t* row) {
    for (int n = 0; n < sizes_.dim; ++n) {
      set_bits(pin, 8 * n, 8, row ? static_cast<std::uint8_t>(row[n]) : garbage() & 0xff);
    }
  }

  /// A request that was not granted must be held, unchanged.
  static void check_held(const Request& before, bool valid, std::uint32_t row, const char* port) {
    if (before.valid) {
      ASSERT_TRUE(valid) << port << " request withdrawn";
      ASSERT_EQ(row, before.row) << port << " request changed";
    }
  }

  void cycle(const Stalls& stalls) {
    top_.rd_ready_i = !chance(stalls.read);
    top_.vec_rd_ready_i = !chance(stalls.acc_read);
    top_.vec_wr_ready_i = !chance(stalls.acc_write);
    const auto dim = static_cast<std::uint32_t>(sizes_.dim);
    read_.put(top_.rd_data_i, machine.scratch, dim, [this] { return garbage(); });
    const std::uint32_t parts = dim > 16 ? dim / 16 : 1;  // exponents of a row
    for (std::uint32_t part = 0; part < parts; ++part) {
      const auto block_rows = static_cast<std::uint32_t>(sizes_.block_rows);
      const bool known = read_.has(0) && read_.rows[0] < block_rows;
      const std::size_t at = block_rows * dim + (known ? read_.rows[0] * parts + part : 0);
      set_bits(top_.rd_exponents_i, static_cast<int>(8 * part), 8,
               known ? static_cast<std::uint8_t>(machine.scratch[at]) : garbage() & 0xff);
    }
    put_row(top_.prm_rd_data_i, param_ ? &machine.params[*param_ * dim] : nullptr);
    for (std::uint32_t n = 0; n < dim; ++n) {
      set_bits(top_.vec_rd_data_i, static_cast<int>(32 * n), 32,
               acc_ ? static_cast<std::uint32_t>(machine.acc[*acc_ * dim + n]) : garbage());
    }
    top_.word_i = word_ ? *word_ : random_();
    read_ = {};
    param_.reset();
    acc_.reset();
    top_.eval();
    if (top_.rst_ni) {
      ASSERT_NO_FATAL_FAILURE(sample());
    }
    const bool accepted = top_.cmd_valid_i && top_.cmd_ready_o;
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    if (accepted) top_.cmd_valid_i = 0;
    ++cycles;
  }

  void sample() {
    const auto dim = static_cast<std::uint32_t>(sizes_.dim);
    const PlaneRequest read = PlaneRequest::at(top_.rd_valid_o, top_.rd_rows_o);
    const PlaneRequest write = PlaneRequest::at(top_.wr_valid_o, top_.wr_rows_o);
    ASSERT_NO_FATAL_FAILURE(held_read_.check_held(read, "scratchpad read"));
    check_held(held_acc_, top_.vec_rd_valid_o, top_.vec_rd_row_o, "accumulator read");
    check_held(held_acc_write_, top_.vec_wr_valid_o, top_.vec_wr_row_o, "accumulator write");
    held_read_ = top_.rd_ready_i ? PlaneRequest{} : read;
    held_acc_ = {top_.vec_rd_valid_o && !top_.vec_rd_ready_i, top_.vec_rd_row_o};
    held_acc_write_ = {top_.vec_wr_valid_o && !top_.vec_wr_ready_i, top_.vec_wr_row_o};
    ASSERT_NO_FATAL_FAILURE(read.check(sizes_.block_rows, sizes_.scratch_rows));
    ASSERT_NO_FATAL_FAILURE(write.check(sizes_.block_rows, sizes_.scratch_rows));
    if (top_.rd_ready_i) read_ = read;
    if (top_.vec_rd_valid_o) {
      ASSERT_LT(top_.vec_rd_row_o, sizes_.acc_rows);
      if (top_.vec_rd_ready_i) acc_ = top_.vec_rd_row_o;
    }
    if (top_.prm_rd_valid_o) {
      ASSERT_LT(top_.prm_rd_row_o, sizes_.param_rows);
      param_ = top_.prm_rd_row_o;
    }
    if (top_.word_valid_o) word_ = machine.kernels[top_.word_number_o];
    write.take(top_.wr_data_o, machine.scratch, dim);
    for (int plane = 0; plane < PlaneRequest::kPlanes; ++plane) {
      if (write.has(plane)) written_at[write.rows[static_cast<std::size_t>(plane)]] = cycles;
    }
    const std::uint32_t parts = dim > 16 ? dim / 16 : 1;  // exponents of a row
    for (std::uint32_t part = 0; top_.wr_blocks_o && part < parts; ++part) {
      machine.scratch[static_cast<std::uint32_t>(sizes_.block_rows) * dim + write.rows[0] * parts + part] =
          static_cast<std::int8_t>(get_bits(top_.wr_exponents_o, static_cast<int>(8 * part), 8));
    }
    if (top_.vec_wr_valid_o) {
      ASSERT_LT(top_.vec_wr_row_o, sizes_.acc_rows);
      for (std::uint32_t n = 0; top_.vec_wr_ready_i && n < dim; ++n) {
        machine.acc[top_.vec_wr_row_o * dim + n] =
            static_cast<std::int32_t>(get_bits(top_.vec_wr_data_o, static_cast<int>(32 * n), 32));
      }
    }
    const ReportPort report = report_of(top_.report_o);
    const std::uint32_t cause = report.cause;
    ASSERT_TRUE(cause != 0 && (cause & (cause - 1)) == 0) << "cause is not one-hot";
    for (std::size_t c = 0; c < causes.size(); ++c) causes[c] += cause >> c & 1;
    ASSERT_FALSE(report.retire && report.fault.valid);
    ASSERT_FALSE(fault && (report.retire || report.fault.valid || top_.cmd_ready_o)) << "alive after a fault";
    if (report.retire) {
      ++retired;
      retired_at.push_back(cycles);
    }
    if (report.fault.valid) fault = VectorFault{static_cast<isa::ErrorCode>(report.fault.code), report.fault.addr};
  }

  VectorSizes sizes_;
  std::mt19937_64 random_;
  std::optional<std::uint32_t> param_, acc_;
  std::optional<kernel::Word> word_;
  PlaneRequest read_, held_read_;
  Request held_acc_, held_acc_write_;
  VerilatedContext context_;
  BlockModel<Model> top_{&context_};
};

}  // namespace systole::test
