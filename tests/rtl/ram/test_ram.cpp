// SPDX-License-Identifier: Apache-2.0
// The memory against an array of rows: lanes under masks, data held between reads, old data when a row is read and
// written at once.
#include <gtest/gtest.h>
#include <verilated.h>

#include <bitset>
#include <cstring>
#include <random>
#include <vector>

#include "Vram_dim16.h"
#include "Vram_dim4.h"
#include "Vram_dim8.h"
#include "Vram_pair.h"
#include "Vram_sums.h"
#include "Vram_whole.h"
#include "seed.hpp"

namespace systole::test {
namespace {

template <class Model, int kWidth, int kDepth, int kLane>
class Bench {
 public:
  using Row = std::bitset<kWidth>;
  using Mask = std::bitset<kWidth / kLane>;
  static constexpr int kRows = kDepth;

  explicit Bench(std::uint64_t seed) : rng(seed), top(&context), rows(kDepth) {
    for (int row = 0; row < kDepth; ++row) write(row, random<kWidth>(), ~Mask{}), edge();
    read(0), edge();
  }
  ~Bench() { top.final(); }

  template <int kBits>
  std::bitset<kBits> random() {
    std::bitset<kBits> bits;
    for (int i = 0; i < kBits; ++i) bits[i] = rng() >> 40 & 1;
    return bits;
  }

  void read(int row) {
    top.rd_en_i = 1;
    top.rd_addr_i = row;
  }

  void write(int row, const Row& data, const Mask& mask) {
    top.wr_en_i = 1;
    top.wr_addr_i = row;
    put(top.wr_data_i, data);
    put(top.wr_mask_i, mask);
    next_data = data;
    next_mask = mask;
  }

  /// One cycle; the model reads before it writes. Both enables fall afterwards.
  void edge() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    if (top.rd_en_i) expected = rows[top.rd_addr_i], has_read = true;
    if (top.wr_en_i) {
      for (int i = 0; i < kWidth; ++i) {
        if (next_mask[i / kLane]) rows[top.wr_addr_i][i] = next_data[i];
      }
    }
    if (has_read) {
      ASSERT_EQ(get(), expected);
    }
    top.rd_en_i = top.wr_en_i = 0;
  }

  std::mt19937_64 rng;

 private:
  template <class Port, std::size_t kBits>
  static void put(Port& port, const std::bitset<kBits>& bits) {
    std::uint8_t bytes[sizeof port] = {};
    for (std::size_t i = 0; i < kBits; ++i) bytes[i / 8] |= static_cast<std::uint8_t>(bits[i] << i % 8);
    std::memcpy(&port, bytes, sizeof port);
  }
  Row get() const {
    std::uint8_t bytes[sizeof top.rd_data_o];
    std::memcpy(bytes, &top.rd_data_o, sizeof bytes);
    Row row;
    for (int i = 0; i < kWidth; ++i) row[i] = bytes[i / 8] >> i % 8 & 1;
    return row;
  }

  VerilatedContext context;
  Model top;
  std::vector<Row> rows;
  Row expected, next_data;
  Mask next_mask;
  bool has_read = false;
};

template <class T>
class Ram : public testing::Test {};

using Benches = testing::Types<Bench<Vram_whole, 37, 16, 37>, Bench<Vram_dim4, 32, 96, 8>, Bench<Vram_dim8, 64, 768, 8>,
                               Bench<Vram_dim16, 128, 1536, 8>, Bench<Vram_sums, 512, 64, 32>, Bench<Vram_pair, 16, 2, 8>>;
TYPED_TEST_SUITE(Ram, Benches);

TYPED_TEST(Ram, RandomReadsAndMaskedWrites) {
  TypeParam bench(seed());
  for (int span : {TypeParam::kRows, 2}) {  // the whole memory, then two rows that collide all the time
    for (int i = 0; i < 8000 && !this->HasFatalFailure(); ++i) {
      const auto data = bench.template random<typename TypeParam::Row{}.size()>();
      const auto mask = bench.template random<typename TypeParam::Mask{}.size()>();
      if (bench.rng() % 4) bench.read(static_cast<int>(bench.rng() % span));
      if (bench.rng() % 4) bench.write(static_cast<int>(bench.rng() % span), data, mask);
      bench.edge();
    }
  }
}

TYPED_TEST(Ram, ReadDuringWriteReturnsTheOldRow) {
  TypeParam bench(seed());
  for (int row = 0; row < TypeParam::kRows && !this->HasFatalFailure(); ++row) {
    bench.read(row);
    bench.write(row, bench.template random<typename TypeParam::Row{}.size()>(), ~typename TypeParam::Mask{});
    bench.edge();  // old
    bench.edge();  // held although the row has changed
    bench.read(row);
    bench.edge();  // new
  }
}

}  // namespace
}  // namespace systole::test
