// SPDX-License-Identifier: Apache-2.0
// The memory against an array of rows: byte masks, data held between reads, undefined data when a row is read while it
// is written.
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
#include "Vram_synthesis.h"
#include "Vram_whole.h"
#include "block_model.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

template <class Model, int kWidth, int kDepth, int kLane>
class Bench {
 public:
  using Row = std::bitset<kWidth>;
  using Mask = std::bitset<kWidth / kLane>;
  static constexpr int kRows = kDepth;
  static constexpr bool kSynthesis = std::is_same_v<Model, Vram_synthesis>;

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

  /// One cycle. Both enables fall afterwards.
  void edge() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    if (top.rd_en_i) expected = rows[top.rd_addr_i], known = !top.wr_en_i || top.wr_addr_i != top.rd_addr_i;
    if (top.wr_en_i) {
      for (int i = 0; i < kWidth; ++i) {
        if (next_mask[i / kLane]) rows[top.wr_addr_i][i] = next_data[i];
      }
    }
    if (known) {
      ASSERT_EQ(get(), expected);
    }
    top.rd_en_i = top.wr_en_i = 0;
  }

  Row get() const {
    std::uint8_t bytes[sizeof top.rd_data_o];
    std::memcpy(bytes, &top.rd_data_o, sizeof bytes);
    Row row;
    for (int i = 0; i < kWidth; ++i) row[i] = bytes[i / 8] >> i % 8 & 1;
    return row;
  }

  std::mt19937_64 rng;
  VerilatedContext context;
  BlockModel<Model> top;
  std::vector<Row> rows;

 private:
  template <class Port, std::size_t kBits>
  static void put(Port& port, const std::bitset<kBits>& bits) {
    std::uint8_t bytes[sizeof port] = {};
    for (std::size_t i = 0; i < kBits; ++i) bytes[i / 8] |= static_cast<std::uint8_t>(bits[i] << i % 8);
    std::memcpy(&port, bytes, sizeof port);
  }
  Row expected, next_data;
  Mask next_mask;
  bool known = false;  ///< what the last read returned: it met no write
};

template <class T>
class Ram : public testing::Test {};

using Benches =
    testing::Types<Bench<Vram_whole, 37, 16, 37>, Bench<Vram_dim4, 32, 96, 8>, Bench<Vram_dim8, 64, 768, 8>,
                   Bench<Vram_dim16, 128, 1536, 8>, Bench<Vram_sums, 512, 64, 32>, Bench<Vram_pair, 16, 2, 8>,
                   Bench<Vram_synthesis, 64, 768, 8>>;  // as synthesis reads the file
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

// The result of a collision is drawn at the start of a simulation: it is neither always the old row nor always the new
// one.
TYPED_TEST(Ram, ReadDuringWriteReturnsAnything) {
  TypeParam bench(seed());
  int old_rows = 0, new_rows = 0;
  for (int row = 0; row < TypeParam::kRows && !this->HasFatalFailure(); ++row) {
    const auto before = bench.rows[static_cast<std::size_t>(row)];
    const auto after = bench.template random<typename TypeParam::Row{}.size()>();
    bench.read(row);
    bench.write(row, after, ~typename TypeParam::Mask{});
    bench.edge();
    old_rows += bench.get() == before;
    new_rows += bench.get() == after;
    bench.read(row);
    bench.edge();  // the write was done
  }
  EXPECT_EQ(old_rows == TypeParam::kRows, TypeParam::kSynthesis)
      << "the simulation shows nothing that hardware does not promise";
  EXPECT_LT(new_rows, TypeParam::kRows);
}

}  // namespace
}  // namespace systole::test
