// SPDX-License-Identifier: Apache-2.0
// The kernel memory against an array of bytes, for every width of a row: masked rows, words held between reads, and the
// clearing of all of it.
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "Vkernel_memory_dim16.h"
#include "Vkernel_memory_dim32.h"
#include "Vkernel_memory_dim4.h"
#include "Vkernel_memory_dim64.h"
#include "Vkernel_memory_dim8.h"
#include "block_model.hpp"
#include "seed.hpp"
#include "systole/generated/micro_operations.hpp"

namespace systole::test {
namespace {

template <class Model, int kDim>
class Bench {
 public:
  static constexpr int kBytes = kernel::kMemoryWords * 8, kRows = kBytes / kDim;
  static constexpr int kRamRows = kDim < 8 ? kernel::kMemoryWords : kRows;

  explicit Bench(std::uint64_t seed) : rng(seed), bytes(kBytes) {
    top.rst_ni = 1;
    top.clear_i = 0;
    top.rd_valid_i = top.wr_valid_i = 0;
    for (int row = 0; row < kRows; ++row) write(row, ~std::uint64_t{0}), edge();
  }
  ~Bench() { top.final(); }

  void write(int row, std::uint64_t mask) {
    top.wr_valid_i = 1;
    top.wr_row_i = row;
    for (std::uint8_t& byte : data_) byte = static_cast<std::uint8_t>(rng());
    static_assert(sizeof top.wr_data_i == kDim);
    std::memcpy(&top.wr_data_i, data_.data(), kDim);
    mask_ = kDim == 64 ? mask : mask & ((std::uint64_t{1} << kDim % 64) - 1);
    std::memcpy(&top.wr_mask_i, &mask_, sizeof top.wr_mask_i);
  }

  void read(int word) {
    top.rd_valid_i = 1;
    top.rd_word_i = word;
  }

  /// Whether the read of this cycle meets the write to the same row of the RAM.
  bool collides() const {
    const int ram_row = 8 * top.rd_word_i / (kDim < 8 ? 8 : kDim);
    return top.rd_valid_i && top.wr_valid_i && ram_row == top.wr_row_i * kDim / (kDim < 8 ? 8 : kDim);
  }

  /// One cycle. Both valids fall afterwards.
  void edge() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    if (top.rd_valid_i) std::memcpy(&expected, &bytes[8 * top.rd_word_i], 8), known = true;
    for (int i = 0; top.wr_valid_i && !top.clear_i && i < kDim; ++i) {
      if (mask_ >> i & 1) bytes[top.wr_row_i * kDim + i] = data_[i];
    }
    if (known) {
      ASSERT_EQ(top.rd_data_o, expected);
    }
    top.rd_valid_i = top.wr_valid_i = 0;
  }

  std::mt19937_64 rng;
  VerilatedContext context;
  BlockModel<Model> top{&context};
  std::vector<std::uint8_t> bytes;
  std::uint64_t expected = 0;
  bool known = false;

 private:
  std::array<std::uint8_t, kDim> data_{};
  std::uint64_t mask_ = 0;
};

template <class T>
class KernelMemory : public testing::Test {};

using Benches =
    testing::Types<Bench<Vkernel_memory_dim4, 4>, Bench<Vkernel_memory_dim8, 8>, Bench<Vkernel_memory_dim16, 16>,
                   Bench<Vkernel_memory_dim32, 32>, Bench<Vkernel_memory_dim64, 64>>;
TYPED_TEST_SUITE(KernelMemory, Benches);

TYPED_TEST(KernelMemory, RandomRowsAndWords) {
  TypeParam bench(seed());
  for (int i = 0; i < 20000 && !this->HasFatalFailure(); ++i) {
    if (bench.rng() % 3) bench.read(static_cast<int>(bench.rng() % kernel::kMemoryWords));
    if (bench.rng() % 3) bench.write(static_cast<int>(bench.rng() % TypeParam::kRows), bench.rng() | bench.rng());
    if (bench.collides()) bench.top.rd_valid_i = 0;
    bench.edge();
  }
  for (int word = 0; word < kernel::kMemoryWords && !this->HasFatalFailure(); ++word) bench.read(word), bench.edge();
  EXPECT_EQ(bench.context.errorCount(), 0);
}

TYPED_TEST(KernelMemory, ClearedInOneCycleARow) {
  TypeParam bench(seed());
  bench.top.clear_i = 1;
  // Longer than the memory: a deeper one is cleared with it.
  for (int row = 0; row < TypeParam::kRamRows + 100; ++row) {
    bench.top.clear_row_i = row;
    if (row % 3 == 0) bench.write(row % TypeParam::kRows, ~std::uint64_t{0});
    bench.edge();
  }
  bench.top.clear_i = 0;
  std::fill(bench.bytes.begin(), bench.bytes.end(), std::uint8_t{0});
  for (int word = 0; word < kernel::kMemoryWords && !this->HasFatalFailure(); ++word) bench.read(word), bench.edge();
}

TYPED_TEST(KernelMemory, RowBeyondItIsReported) {
  TypeParam bench(seed());
  EXPECT_EQ(bench.context.errorCount(), 0);
  bench.top.expect_assertions();
  bench.write(TypeParam::kRows, 0);
  bench.top.clk_i = 0;
  bench.top.eval();
  bench.top.clk_i = 1;
  bench.top.eval();
  EXPECT_GT(bench.context.errorCount(), 0);
}

}  // namespace
}  // namespace systole::test
