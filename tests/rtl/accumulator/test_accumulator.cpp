// SPDX-License-Identifier: Apache-2.0
// The accumulators under random contention of the matrix and the vector side, against a plain scoreboard.
#include "block_model.hpp"
#include "block_sum.hpp"
#include "seed.hpp"

#include "Vaccumulator_dim16.h"
#include "Vaccumulator_dim32.h"
#include "Vaccumulator_dim4.h"
#include "Vaccumulator_dim8.h"
#include "Vaccumulator_rows16.h"

#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace systole::test {
namespace {

using Row = std::vector<std::uint32_t>;

struct Inputs {
  bool mac_valid = false;
  bool mac_accumulate = false;
  int mac_row = 0;
  Row mac_data;
  bool mac_block = false;  ///< in block floating point
  bool mac_begin = true, mac_complete = true;
  std::uint8_t act_exponent = 0;
  std::vector<std::uint8_t> weight_exponents;
  bool rd_valid = false;
  int rd_row = 0;
  bool wr_valid = false;
  int wr_row = 0;
  Row wr_data;
};

/// Number of rows of each Verilated variant; the model has no access to its parameters.
template <typename Model>
constexpr int rows = 64;
template <>
constexpr int rows<Vaccumulator_rows16> = 16;
template <>
constexpr int rows<Vaccumulator_dim8> = 512;
template <>
constexpr int rows<Vaccumulator_dim16> = 1024;
template <>
constexpr int rows<Vaccumulator_dim32> = 2048;

template <typename Model>
class Bench {
 public:
  static constexpr int dim = sizeof(Model::mac_data_i) / 4;

  Bench() : model_(&context_) {
    context_.fatalOnError(false);
    context_.errorLimit(1000);
    drive({});
    model_.rst_ni = 0;
    edge();
    model_.rst_ni = 1;
  }
  ~Bench() { model_.final(); }

  /// Drives the inputs of a cycle; afterwards the ready outputs are valid.
  void drive(const Inputs& in) {
    model_.clk_i = 0;
    model_.mac_valid_i = in.mac_valid;
    model_.mac_accumulate_i = in.mac_accumulate;
    model_.mac_row_i = in.mac_row;
    copy(model_.mac_data_i, in.mac_data);
    model_.mac_block_i = in.mac_block;
    model_.mac_begin_i = in.mac_begin;
    model_.mac_complete_i = in.mac_complete;
    model_.mac_act_exponent_i = in.act_exponent;
    if (!in.weight_exponents.empty()) std::memcpy(&model_.mac_weight_exponents_i, in.weight_exponents.data(), dim);
    model_.vec_rd_valid_i = in.rd_valid;
    model_.vec_rd_row_i = in.rd_row;
    model_.vec_wr_valid_i = in.wr_valid;
    model_.vec_wr_row_i = in.wr_row;
    copy(model_.vec_wr_data_i, in.wr_data);
    model_.eval();
  }
  void edge() {
    model_.clk_i = 1;
    model_.eval();
  }
  void clear(int bank_rows) {
    drive({});
    model_.clear_i = 1;
    for (int row = 0; row < bank_rows; ++row) {
      model_.clear_row_i = static_cast<std::uint16_t>(row);
      model_.clk_i = 0;
      model_.eval();
      edge();
    }
    model_.clear_i = 0;
  }
  bool rd_ready() const { return model_.vec_rd_ready_o; }
  bool wr_ready() const { return model_.vec_wr_ready_o; }
  Row rd_data() const {
    Row result(dim);
    std::memcpy(result.data(), &model_.vec_rd_data_o, 4 * dim);
    return result;
  }
  void expect_assertions() { model_.expect_assertions(); }
  int errors() const { return context_.errorCount(); }

 private:
  template <typename Port>
  static void copy(Port& port, const Row& data) {
    if (!data.empty()) std::memcpy(&port, data.data(), 4 * dim);
  }
  VerilatedContext context_;
  BlockModel<Model> model_;
};

template <typename Model>
class Accumulator : public testing::Test {
 protected:
  static constexpr int dim = Bench<Model>::dim;
  static constexpr int count = rows<Model>;
  static int bank(int row) { return row % 2; }

  void write(Bench<Model>& bench, int row, const Row& data) {
    Inputs in;
    in.wr_valid = true;
    in.wr_row = row;
    in.wr_data = data;
    bench.drive(in);
    ASSERT_TRUE(bench.wr_ready());
    bench.edge();
  }
  Row read(Bench<Model>& bench, int row) {
    Inputs in;
    in.rd_valid = true;
    in.rd_row = row;
    bench.drive(in);
    EXPECT_TRUE(bench.rd_ready());
    bench.edge();
    bench.drive({});
    return bench.rd_data();
  }

  /// Random traffic on both sides. `window` confines it to few rows, so that rows are reused soon.
  void run(std::uint64_t seed, int mac_percent, int vector_percent, int window, int cycles) {
    std::mt19937_64 random(seed);
    auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    auto noise = [&] {
      Row row(dim);
      for (auto& value : row) value = static_cast<std::uint32_t>(random());
      return row;
    };
    Bench<Model> bench;
    std::vector<Row> board(count);
    for (int row = 0; row < count; ++row) {
      board[row] = noise();
      write(bench, row, board[row]);
    }
    std::vector<int> recent(4, -1);  // Rows of the matrix side in the last cycles, most recent last.
    auto busy = [&](int row) { return std::find(recent.begin(), recent.end(), row) != recent.end(); };
    // A row of a window in the middle that nothing else uses now.
    auto any_row = [&](int other) {
      for (int attempt = 0; attempt < 20; ++attempt) {
        const int row = std::clamp(count / 2 + pick(-window, window - 1), 0, count - 1);
        if (!busy(row) && row != other) return row;
      }
      return -1;
    };
    Inputs in;
    bool previous_mac = false;
    int previous_bank = 0;
    int waits = 0;
    std::optional<Row> expected_read;
    for (int cycle = 0; cycle < cycles; ++cycle) {
      in.mac_valid = false;
      if (pick(0, 99) < mac_percent) {
        const int row = any_row(in.rd_valid ? in.rd_row : -1);
        in.mac_valid = row >= 0 && !(in.wr_valid && in.wr_row == row);
        if (in.mac_valid) in.mac_row = row;
      }
      in.mac_accumulate = pick(0, 3) != 0;
      in.mac_data = noise();
      const int mac_row = in.mac_valid ? in.mac_row : -1;
      if (!in.rd_valid && pick(0, 99) < vector_percent) {
        in.rd_row = any_row(mac_row);
        in.rd_valid = in.rd_row >= 0 && !(in.wr_valid && in.wr_row == in.rd_row);
        if (!in.rd_valid) in.rd_row = 0;
      }
      if (!in.wr_valid && pick(0, 99) < vector_percent) {
        in.wr_row = any_row(mac_row);
        in.wr_valid = in.wr_row >= 0 && !(in.rd_valid && in.rd_row == in.wr_row);
        if (!in.wr_valid) in.wr_row = 0;
        in.wr_data = noise();
      }
      bench.drive(in);
      if (expected_read) {
        ASSERT_EQ(bench.rd_data(), *expected_read) << "cycle " << cycle << ", seed " << seed;
      }
      // The vector side is stalled exactly when the matrix side uses that port of that bank.
      const bool mac_reads = in.mac_valid && in.mac_accumulate;
      ASSERT_EQ(bench.rd_ready(), !(mac_reads && bank(in.mac_row) == bank(in.rd_row)));
      ASSERT_EQ(bench.wr_ready(), !(previous_mac && previous_bank == bank(in.wr_row)));
      expected_read.reset();
      if (in.rd_valid && bench.rd_ready()) expected_read = board[in.rd_row];
      if (in.wr_valid && bench.wr_ready()) board[in.wr_row] = in.wr_data;
      if (in.mac_valid) {
        for (int n = 0; n < dim; ++n) {
          board[in.mac_row][n] = in.mac_data[n] + (in.mac_accumulate ? board[in.mac_row][n] : 0);
        }
      }
      const bool rd_done = in.rd_valid && bench.rd_ready();
      const bool wr_done = in.wr_valid && bench.wr_ready();
      waits += (in.rd_valid && !rd_done) + (in.wr_valid && !wr_done);
      bench.edge();
      previous_mac = in.mac_valid;
      previous_bank = bank(in.mac_row);
      recent.erase(recent.begin());
      recent.push_back(in.mac_valid ? in.mac_row : -1);
      if (rd_done) in.rd_valid = false;
      if (wr_done) in.wr_valid = false;
    }
    if (mac_percent > 0 && vector_percent > 0) {
      EXPECT_GT(waits, 0) << "no contention happened";
    }
    bench.drive({});
    bench.edge();
    for (int row = 0; row < count; ++row) ASSERT_EQ(read(bench, row), board[row]) << "row " << row;
    EXPECT_EQ(bench.errors(), 0) << "assertion failures";
  }

  /// The output of the simulation while `cycles` are driven one after another.
  static std::string printed(const std::vector<Inputs>& cycles) {
    testing::internal::CaptureStdout();
    Bench<Model> bench;
    bench.expect_assertions();
    for (const Inputs& in : cycles) {
      bench.drive(in);
      bench.edge();
    }
    std::fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }
};

using Models =
    testing::Types<Vaccumulator_dim4, Vaccumulator_rows16, Vaccumulator_dim8, Vaccumulator_dim16, Vaccumulator_dim32>;
TYPED_TEST_SUITE(Accumulator, Models);

TYPED_TEST(Accumulator, RandomContention) {
  const std::uint64_t first = seed();
  for (int mac_percent : {30, 70, 100}) {
    for (int vector_percent : {20, 100}) {
      for (int window : {8, 1 << 14}) {
        const int reach = std::min(window, this->count / 2);
        for (std::uint64_t i = 0; i < 2; ++i) this->run(first + i, mac_percent, vector_percent, reach, 2000);
      }
    }
  }
}

TYPED_TEST(Accumulator, MatrixSideAlone) { this->run(seed(), 90, 0, this->count / 2, 3000); }
TYPED_TEST(Accumulator, VectorSideAlone) { this->run(seed(), 0, 90, this->count / 2, 3000); }

TYPED_TEST(Accumulator, SidesThatWalkFromRowToRowPassEachOtherAfterOneWait) {
  constexpr int count = TestFixture::count, dim = TestFixture::dim;
  for (const int start : {0, 1}) {
    Bench<TypeParam> bench;
    int rd_row = count / 2 + start, wr_row = count / 4 + start;
    int waits = 0;
    for (int cycle = 0; cycle < count / 4; ++cycle) {
      Inputs in;
      in.mac_valid = in.mac_accumulate = true;
      in.mac_row = cycle;
      in.mac_data = Row(dim, 1);
      in.rd_valid = in.wr_valid = true;
      in.rd_row = rd_row;
      in.wr_row = wr_row;
      in.wr_data = Row(dim, 2);
      bench.drive(in);
      waits += !bench.rd_ready() + !bench.wr_ready();
      rd_row += bench.rd_ready();
      wr_row += bench.wr_ready();
      bench.edge();
    }
    EXPECT_LE(waits, 2);
    EXPECT_EQ(bench.errors(), 0);
  }
}

// Sums of binary32, beside reads of rows that are not in use; with fewer than 16 lanes a block comes in several rows.
TYPED_TEST(Accumulator, BlockFloatingPoint) {
  constexpr int count = TestFixture::count, dim = TestFixture::dim, planes = dim < 16 ? 16 / dim : 1;
  constexpr int kWindow = 16, kApart = 8;
  std::mt19937_64 random(seed());
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  Bench<TypeParam> bench;
  std::vector<Row> board(count, Row(dim));
  for (int row = 0; row < kWindow; ++row) {
    for (auto& word : board[row]) word = static_cast<std::uint32_t>(random());
    this->write(bench, row, board[row]);
  }
  std::vector<int> plane(kWindow), free_at(kWindow);  // of each row
  std::vector<std::vector<std::int32_t>> products(kWindow, std::vector<std::int32_t>(dim));
  std::optional<Row> expected;
  int reads = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    Inputs in;
    const int row = pick(0, kWindow - 1);
    if (cycle >= free_at[row] && pick(0, 9) < 8) {
      in.mac_valid = in.mac_block = true;
      in.mac_row = row;
      in.mac_begin = plane[row] == 0;
      in.mac_complete = plane[row] == planes - 1 || pick(0, 9) == 0;
      in.mac_accumulate = pick(0, 3) != 0;
      in.act_exponent = static_cast<std::uint8_t>(pick(0, 99) == 0 ? 255 : pick(120, 140));
      in.mac_data.resize(dim);
      in.weight_exponents.resize(dim);
      for (int n = 0; n < dim; ++n) {
        const int product = pick(0, 9) == 0 ? 0 : pick(-(1 << 18) / planes, (1 << 18) / planes);
        in.mac_data[n] = static_cast<std::uint32_t>(product);
        in.weight_exponents[n] = static_cast<std::uint8_t>(pick(0, 99) == 0 ? pick(0, 255) : pick(120, 140));
        products[row][n] = (in.mac_begin ? 0 : products[row][n]) + product;
        if (in.mac_complete) {
          const float before = in.mac_accumulate ? std::bit_cast<float>(board[row][n]) : 0.0F;
          board[row][n] = std::bit_cast<std::uint32_t>(
              model::add_block(before, products[row][n], in.act_exponent, in.weight_exponents[n]));
        }
      }
      plane[row] = in.mac_complete ? 0 : plane[row] + 1;
      free_at[row] = cycle + kApart;
    }
    const int other = pick(0, kWindow - 1);
    if (cycle >= free_at[other] && other != row) {
      in.rd_valid = true;
      in.rd_row = other;
    }
    bench.drive(in);
    if (expected) {
      ASSERT_EQ(bench.rd_data(), *expected) << "cycle " << cycle;
    }
    expected.reset();
    if (in.rd_valid && bench.rd_ready()) {
      expected = board[other];
      ++reads;
    }
    bench.edge();
  }
  EXPECT_GT(reads, 5000);
  EXPECT_EQ(bench.errors(), 0) << "assertion failures";
}

TYPED_TEST(Accumulator, ClearingLeavesZerosInBothBanks) {
  constexpr int count = TestFixture::count, dim = TestFixture::dim;
  Bench<TypeParam> bench;
  for (int row = 0; row < count; ++row) this->write(bench, row, Row(dim, 0xdeadbeef));
  bench.clear(count / 2);
  for (int row = 0; row < count; ++row) ASSERT_EQ(this->read(bench, row), Row(dim, 0)) << "row " << row;
}

TYPED_TEST(Accumulator, SumsWrap) {
  constexpr int dim = TestFixture::dim;
  Bench<TypeParam> bench;
  this->write(bench, 1, Row(dim, 0x7fffffffu));
  Inputs in;
  in.mac_valid = in.mac_accumulate = true;
  in.mac_row = 1;
  in.mac_data = Row(dim, 1);
  bench.drive(in);
  bench.edge();
  bench.drive({});
  bench.edge();
  EXPECT_EQ(this->read(bench, 1), Row(dim, 0x80000000u));
}

// The assertions must fail when the accumulators are misused.

TYPED_TEST(Accumulator, AssertsFourCyclesBetweenUsesOfARow) {
  for (int distance : {1, 2, 3, 4}) {
    std::vector<Inputs> cycles(distance + 1);
    for (Inputs* use : {&cycles.front(), &cycles.back()}) {
      use->mac_valid = true;
      use->mac_row = 1;
    }
    const bool reported = this->printed(cycles).find("SameRowFourCyclesApart") != std::string::npos;
    EXPECT_EQ(reported, distance < 4) << distance;
  }
}

TYPED_TEST(Accumulator, AssertsEightCyclesBetweenUsesOfARowInBlockFloatingPoint) {
  for (int distance : {3, 7, 8}) {
    std::vector<Inputs> cycles(distance + 1);
    for (Inputs* use : {&cycles.front(), &cycles.back()}) {
      use->mac_valid = use->mac_block = true;
      use->mac_row = 1;
    }
    const bool reported = this->printed(cycles).find("BlockRowEightCyclesApart") != std::string::npos;
    EXPECT_EQ(reported, distance < 8) << distance;
  }
}

TYPED_TEST(Accumulator, AssertsThatFormatsAreApart) {
  for (int distance : {1, 5, 6}) {
    std::vector<Inputs> cycles(distance + 1);
    cycles.front().mac_valid = cycles.front().mac_block = cycles.back().mac_valid = true;
    cycles.back().mac_row = 1;
    const bool reported = this->printed(cycles).find("FormatsApart") != std::string::npos;
    EXPECT_EQ(reported, distance < (TestFixture::dim < 16 ? 8 : 7)) << distance;
  }
}

TYPED_TEST(Accumulator, AssertsThatRowsExist) {
  constexpr int count = TestFixture::count;
  for (int row : {count - 1, count, 65535}) {
    std::vector<Inputs> cycles(3);
    cycles[0].mac_valid = cycles[1].rd_valid = cycles[2].wr_valid = true;
    for (Inputs& in : cycles) in.mac_row = in.rd_row = in.wr_row = row;
    const std::string text = this->printed(cycles);
    for (const char* name : {"MacRowExists", "VectorReadRowExists", "VectorWriteRowExists"}) {
      EXPECT_EQ(text.find(name) != std::string::npos, row >= count) << name << ", row " << row;
    }
  }
}

}  // namespace
}  // namespace systole::test
