// SPDX-License-Identifier: Apache-2.0
// The body for simulations and the body for synthesis of a bank of the scratchpad under the same stimulus, each against
// the contract. A simulation moreover shows nothing that the contract leaves undefined.
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstring>
#include <random>

#include "../loop_nest/pins.hpp"
#include "Vscratchpad_bank_dim16.h"
#include "Vscratchpad_bank_dim16_synthesis.h"
#include "Vscratchpad_bank_dim4.h"
#include "Vscratchpad_bank_dim4_synthesis.h"
#include "bank_contract.hpp"
#include "block_model.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

template <class Model, int kDim, int kRowCount, bool kIsSynthesis>
class Bench {
 public:
  using Contract = BankContract<kDim>;
  using Row = typename Contract::Row;
  using Request = typename Contract::Request;
  using Write = typename Contract::Write;
  static constexpr int kRows = kRowCount, kRams = Contract::kRams, kIndices = kRows / kRams;
  static constexpr bool kSynthesis = kIsSynthesis;

  explicit Bench(std::uint64_t seed) : rng(seed) {
    for (int row = 0; row < kRows; ++row) {
      Write write = random_write(100, 1);
      write.wide = false;
      write.row = row;
      write.mask = ~0u;
      cycle({}, write);
    }
  }
  ~Bench() { top_.final(); }

  int below(int limit) { return static_cast<int>(rng() % static_cast<std::uint64_t>(limit)); }

  /// A request in `busy` of 100 cycles, for rows of the first `span` of each RAM.
  Request random_read(int busy, int span) {
    Request request;
    request.enable = below(100) < busy;
    request.wide = below(2) == 0;
    request.row = below(kRams * span);
    request.rams = static_cast<unsigned>(below(1 << kRams));
    for (int& index : request.indices) index = below(span);
    return request;
  }
  Write random_write(int busy, int span) {
    Write write{random_read(busy, span), {}, static_cast<std::uint32_t>(rng())};
    for (Row& row : write.data) {
      for (auto& byte : row) byte = static_cast<std::uint8_t>(rng() >> 24);
    }
    return write;
  }

  /// One cycle; all that the contract defines is compared.
  void cycle(const Request& read, const Write& write) {
    drive(read, write);
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
    contract.cycle(read, write);
    if (contract.narrow) {
      ASSERT_EQ(narrow(), *contract.narrow);
    }
    for (int ram = 0; ram < kRams; ++ram) {
      const auto& expected = contract.wide[static_cast<std::size_t>(ram)];
      if (expected) {
        ASSERT_EQ(wide(ram), *expected) << "RAM " << ram;
      }
    }
  }

  Row narrow() const { return row_at(&top_.rd_data_o, 0); }
  Row wide(int ram) const { return row_at(&top_.wide_rd_data_o, ram); }

  std::mt19937_64 rng;
  Contract contract{kRows};

 private:
  static Row row_at(const void* pins, int place) {
    Row row;
    std::memcpy(row.data(), static_cast<const std::uint8_t*>(pins) + place * kDim, kDim);
    return row;
  }

  void drive(const Request& read, const Write& write) {
    int index_width = 0;
    while (1 << index_width < kIndices) ++index_width;
    top_.rd_en_i = read.enable;
    top_.rd_wide_i = read.wide;
    top_.rd_row_i = static_cast<std::uint8_t>(read.row);
    top_.wide_rd_rams_i = static_cast<std::uint8_t>(read.rams);
    top_.wr_en_i = write.enable;
    top_.wr_wide_i = write.wide;
    top_.wr_row_i = static_cast<std::uint8_t>(write.row);
    top_.wide_wr_rams_i = static_cast<std::uint8_t>(write.rams);
    for (int ram = 0; ram < kRams; ++ram) {
      const auto at = static_cast<std::size_t>(ram);
      set_bits(top_.wide_rd_index_i, ram * index_width, index_width, static_cast<std::uint32_t>(read.indices[at]));
      set_bits(top_.wide_wr_index_i, ram * index_width, index_width, static_cast<std::uint32_t>(write.indices[at]));
    }
    set_bits(top_.wr_mask_i, 0, kDim, write.mask);
    std::memcpy(&top_.wr_data_i, write.data[0].data(), kDim);
    std::memcpy(&top_.wide_wr_data_i, write.data.data(), kRams * kDim);
  }

  VerilatedContext context_;
  BlockModel<Model> top_{&context_};
};

template <class T>
class ScratchpadBank : public testing::Test {};

using Benches = testing::Types<Bench<Vscratchpad_bank_dim4, 4, 32, false>, Bench<Vscratchpad_bank_dim16, 16, 96, false>,
                               Bench<Vscratchpad_bank_dim4_synthesis, 4, 32, true>,
                               Bench<Vscratchpad_bank_dim16_synthesis, 16, 96, true>>;
TYPED_TEST_SUITE(ScratchpadBank, Benches);

// All rows, then few that reads and writes share all the time; ports that are busy, and ones that hold their data.
TYPED_TEST(ScratchpadBank, BothBodiesFollowTheContract) {
  TypeParam bench(seed());
  int narrow_cycles = 0, wide_rows = 0;
  for (const int span : {TypeParam::kIndices, 2}) {
    for (const int busy : {100, 70, 20}) {
      for (int i = 0; i < 10000 && !this->HasFatalFailure(); ++i) {
        bench.cycle(bench.random_read(busy, span), bench.random_write(busy, span));
        narrow_cycles += bench.contract.narrow.has_value();
        for (const auto& row : bench.contract.wide) wide_rows += row.has_value();
      }
    }
  }
  EXPECT_GT(narrow_cycles, 15000);
  EXPECT_GT(wide_rows, 30000);
}

// Where the contract leaves data undefined, a simulation shows a value that it has drawn at its start. Hardware still
// shows what its RAMs hold, here the rows of the read before.
TYPED_TEST(ScratchpadBank, ASimulationHoldsNothingThatIsUndefined) {
  TypeParam bench(seed());
  using Request = typename TypeParam::Request;
  int narrow_held = 0, wide_held = 0, left_out_held = 0;
  for (int row = 0; row < TypeParam::kRows && !this->HasFatalFailure(); ++row) {
    const int ram = row % TypeParam::kRams, other = (ram + 1) % TypeParam::kRams;
    Request narrow{true, false, row}, all{true, true, 0, 0b1111};
    all.indices.fill(row / TypeParam::kRams);
    Request but_one = all;
    but_one.rams &= ~(1u << other);
    bench.cycle(narrow, {});
    const auto read = bench.narrow();
    bench.cycle(but_one, {});  // `ram` gives the same row, so that the RAMs' narrow data stay
    narrow_held += bench.narrow() == read;
    bench.cycle(all, {});
    const auto beside = bench.wide(other);
    bench.cycle(but_one, {});
    left_out_held += bench.wide(other) == beside;
    bench.cycle(all, {});
    bench.cycle(narrow, {});
    wide_held += bench.wide(other) == beside;
  }
  const int held = TypeParam::kSynthesis ? TypeParam::kRows : 0;
  EXPECT_EQ(narrow_held, held);
  EXPECT_EQ(left_out_held, held);
  EXPECT_EQ(wide_held, held);
}

}  // namespace
}  // namespace systole::test
