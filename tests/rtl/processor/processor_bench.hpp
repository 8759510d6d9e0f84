// SPDX-License-Identifier: Apache-2.0
// The Verilated vector processor with its memories as C++ arrays, ports that stall at random, and read data that are
// valid in one cycle only.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

#include "../loop_nest/pins.hpp"
#include "block_model.hpp"
#include "engine_report.hpp"
#include "plane_requests.hpp"
#include "random_vector_kernels.hpp"

namespace systole::test {

struct ProcessorSizes {
  int dim, scratch_rows, acc_rows;
  int block_rows;  ///< scratchpad rows that have exponents, which the rows behind them hold
};

/// Probability, in 1/256, that a port does not grant in a cycle.
struct ProcessorStalls {
  int read = 0, acc_read = 0, acc_write = 0;
};

struct ProcessorFault {
  int code;
  std::uint32_t address;
};

template <typename Model>
class ProcessorBench {
 public:
  ProcessorBench(const ProcessorSizes& sizes, std::uint64_t seed)
      : scratch(static_cast<std::size_t>(sizes.scratch_rows * sizes.dim)),
        acc(static_cast<std::size_t>(sizes.acc_rows * sizes.dim)),
        sizes_(sizes),
        random_(seed) {
    top_.clk_i = 0;
    top_.go_i = 1;
    reset();
  }
  ~ProcessorBench() { top_.final(); }

  /// Reset and clearing of the memories, as the core does it.
  void reset() {
    top_.rst_ni = 0;
    for (int i = 0; i < 3; ++i) cycle({});
    top_.rst_ni = 1;
    held_read_ = {};
    held_acc_ = held_acc_write_ = {};
    fault.reset();
    top_.clear_i = 1;
    for (std::uint32_t row = 0; row < 2 * kernel::kMemoryWords; ++row) {
      top_.clear_row_i = static_cast<std::uint16_t>(row);
      cycle({});
    }
    top_.clear_i = 0;
  }

  /// Writes words to the kernel memory; the words before and behind them in their rows are cleared.
  void load(std::uint32_t entry, const std::vector<kernel::Word>& words) {
    std::vector<std::uint8_t> bytes(8 * kernel::kMemoryWords);
    for (std::size_t i = 0; i < 8 * words.size(); ++i) {
      bytes[8 * entry + i] = static_cast<std::uint8_t>(words[i / 8] >> (8 * (i % 8)));
    }
    const auto dim = static_cast<std::size_t>(sizes_.dim);
    for (std::size_t row = 0; row < bytes.size() / dim; ++row) {
      top_.kernel_wr_valid_i = 1;
      top_.kernel_wr_row_i = static_cast<std::uint16_t>(row);
      for (std::size_t n = 0; n < dim; ++n) {
        set_bits(top_.kernel_wr_data_i, static_cast<int>(8 * n), 8, bytes[row * dim + n]);
      }
      cycle({});
    }
    top_.kernel_wr_valid_i = 0;
  }

  void load_table(const std::vector<std::uint32_t>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      top_.table_valid_i = 1;
      top_.table_word_i = static_cast<std::uint8_t>(i);
      top_.table_data_i = words[i];
      cycle({});
    }
    top_.table_valid_i = 0;
  }

  /// Runs a kernel until it is done or at fault. Fails the test when it hangs.
  void run(std::uint32_t entry, const kernel::Arguments& arguments, const ProcessorStalls& stalls) {
    done = false;
    top_.start_valid_i = 1;
    top_.start_entry_i = static_cast<std::uint16_t>(entry);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      set_bits(top_.start_args_i, static_cast<int>(32 * i), 32, arguments[i]);
    }
    const std::uint64_t limit = cycles + 1000000;
    while (!done && !fault) {
      ASSERT_LT(cycles, limit) << "the processor hangs";
      ASSERT_NO_FATAL_FAILURE(cycle(stalls));
    }
    top_.start_valid_i = 0;
  }

  /// Whether a block that is not a number has been stored since reset.
  bool nonfinite() const { return nonfinite_; }

  void idle(int count) {
    for (int i = 0; i < count; ++i) ASSERT_NO_FATAL_FAILURE(cycle({}));
  }

  std::vector<std::int8_t> scratch;
  std::vector<std::int32_t> acc;
  std::uint64_t cycles = 0;
  bool done = false;
  std::optional<ProcessorFault> fault;

 private:
  bool nonfinite_ = false, nonfinite_seen_ = false;

  struct Request {
    bool valid = false;
    std::uint32_t row = 0;
  };

  bool chance(int in_256) { return static_cast<int>(random_() & 0xff) < in_256; }
  std::uint32_t garbage() { return static_cast<std::uint32_t>(random_()); }

  /// A request that was not granted must be held, unchanged.
  static void check_held(const Request& before, bool valid, std::uint32_t row, const char* port) {
    if (before.valid) {
      ASSERT_TRUE(valid) << port << " request withdrawn";
      ASSERT_EQ(row, before.row) << port << " request changed";
    }
  }

  void cycle(const ProcessorStalls& stalls) {
    top_.rd_ready_i = !chance(stalls.read);
    top_.acc_rd_ready_i = !chance(stalls.acc_read);
    top_.acc_wr_ready_i = !chance(stalls.acc_write);
    if (!top_.go_i) top_.go_i = chance(6);  // a kernel without rows is through before
    const auto dim = static_cast<std::size_t>(sizes_.dim);
    read_.put(top_.rd_data_i, scratch, dim, [this] { return garbage(); });
    for (std::size_t n = 0; n < dim; ++n) {
      set_bits(top_.acc_rd_data_i, static_cast<int>(32 * n), 32,
               acc_read_ ? static_cast<std::uint32_t>(acc[*acc_read_ * dim + n]) : garbage());
    }
    const std::size_t parts = dim > 16 ? dim / 16 : 1;  // exponents of a row
    for (std::size_t part = 0; part < parts; ++part) {
      const bool known = read_.has(0) && static_cast<int>(read_.rows[0]) < sizes_.block_rows;
      const std::size_t at =
          static_cast<std::size_t>(sizes_.block_rows) * dim + (known ? read_.rows[0] * parts + part : 0);
      set_bits(top_.rd_exponents_i, static_cast<int>(8 * part), 8,
               known ? static_cast<std::uint8_t>(scratch[at]) : garbage() & 0xff);
    }
    read_ = {};
    acc_read_.reset();
    top_.eval();
    if (top_.rst_ni) {
      ASSERT_NO_FATAL_FAILURE(sample());
    }
    const bool accepted = top_.start_valid_i && top_.start_ready_o;
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    nonfinite_ = top_.rst_ni && (nonfinite_ || top_.nonfinite_o != nonfinite_seen_);
    nonfinite_seen_ = top_.nonfinite_o;
    if (accepted) {
      top_.start_valid_i = 0;
      top_.go_i = !chance(stalls.read);
    }
    ++cycles;
  }

  void sample() {
    const auto dim = static_cast<std::size_t>(sizes_.dim);
    const PlaneRequest read = PlaneRequest::at(top_.rd_valid_o, top_.rd_rows_o);
    const PlaneRequest write = PlaneRequest::at(top_.wr_valid_o, top_.wr_rows_o);
    const std::uint32_t read_row = get_bits(top_.rd_rows_o, 0, 16), write_row = get_bits(top_.wr_rows_o, 0, 16);
    ASSERT_NO_FATAL_FAILURE(held_read_.check_held(read, "scratchpad read"));
    check_held(held_acc_, top_.acc_rd_valid_o, read_row, "accumulator read");
    check_held(held_acc_write_, top_.acc_wr_valid_o, write_row, "accumulator write");
    held_read_ = top_.rd_ready_i ? PlaneRequest{} : read;
    held_acc_ = {top_.acc_rd_valid_o && !top_.acc_rd_ready_i, read_row};
    held_acc_write_ = {top_.acc_wr_valid_o && !top_.acc_wr_ready_i, write_row};
    ASSERT_NO_FATAL_FAILURE(read.check(sizes_.block_rows, sizes_.scratch_rows));
    ASSERT_NO_FATAL_FAILURE(write.check(sizes_.block_rows, sizes_.scratch_rows));
    if (top_.rd_ready_i) read_ = read;
    if (top_.acc_rd_valid_o) {
      ASSERT_LT(read_row, static_cast<std::uint32_t>(sizes_.acc_rows));
      if (top_.acc_rd_ready_i) acc_read_ = read_row;
    }
    write.take(top_.wr_data_o, scratch, dim);
    const std::size_t parts = dim > 16 ? dim / 16 : 1;  // exponents of a row
    for (std::size_t part = 0; top_.wr_blocks_o && part < parts; ++part) {
      scratch[static_cast<std::size_t>(sizes_.block_rows) * dim + write_row * parts + part] =
          static_cast<std::int8_t>(get_bits(top_.wr_exponents_o, static_cast<int>(8 * part), 8));
    }
    if (top_.acc_wr_valid_o) {
      ASSERT_LT(write_row, static_cast<std::uint32_t>(sizes_.acc_rows));
      for (std::size_t n = 0; top_.acc_wr_ready_i && n < dim; ++n) {
        acc[write_row * dim + n] =
            static_cast<std::int32_t>(get_bits(top_.acc_wr_data_o, static_cast<int>(32 * n), 32));
      }
    }
    const FaultPort failure = fault_of(top_.fault_o);
    ASSERT_FALSE(top_.done_o && failure.valid);
    ASSERT_TRUE(top_.go_i || !(top_.done_o || failure.valid)) << "over before it may begin";
    ASSERT_FALSE(fault && (top_.done_o || failure.valid || top_.start_ready_o)) << "alive after a fault";
    if (top_.done_o) done = true;
    if (failure.valid) fault = ProcessorFault{static_cast<int>(failure.code), failure.addr};
  }

  ProcessorSizes sizes_;
  std::mt19937_64 random_;
  std::optional<std::size_t> acc_read_;
  PlaneRequest read_, held_read_;
  Request held_acc_, held_acc_write_;
  VerilatedContext context_;
  BlockModel<Model> top_{&context_};
};

}  // namespace systole::test
