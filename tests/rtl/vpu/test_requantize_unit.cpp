// SPDX-License-Identifier: Apache-2.0
// The requantization pipeline with its multiplier alone: every combination of boundary values, the independent vectors,
// and random rows with gaps, all against systole/requantize.hpp.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <fstream>
#include <limits>
#include <random>
#include <set>
#include <sstream>

#include "../loop_nest/pins.hpp"
#include "Vrequantize_dim16.h"
#include "Vrequantize_dim4.h"
#include "block_model.hpp"
#include "seed.hpp"
#include "systole/requantize.hpp"

namespace {

using namespace systole;
using test::get_bits;
using test::set_bits;

constexpr std::array<Rounding, 3> kRoundings = {Rounding::kDouble, Rounding::kSingle, Rounding::kEven};
constexpr int kLatency = 5;

template <typename Model, int kDim>
class Bench {
 public:
  struct Row {
    std::array<std::int32_t, kDim> acc;
    std::array<QuantParam, kDim> lane;  // used when per_lane
    QuantParam scalar;
    bool per_lane;
  };

  Bench() {
    top_.clk_i = 0;
    top_.rst_ni = 0;
    idle();
    top_.rst_ni = 1;
  }
  ~Bench() { top_.final(); }

  /// Changes parameters that must not change while rows are in flight.
  void configure(Rounding rounding, const std::array<QuantParam, kDim>& lane) {
    for (int i = 0; i < kLatency; ++i) idle();
    rounding_ = rounding;
    top_.rounding_i = static_cast<std::uint8_t>(rounding);
    for (int n = 0; n < kDim; ++n) {
      set_bits(top_.lane_multiplier_i, 32 * n, 32,
               static_cast<std::uint32_t>(lane[static_cast<std::size_t>(n)].multiplier));
      set_bits(top_.lane_shift_i, 6 * n, 6, static_cast<std::uint32_t>(lane[static_cast<std::size_t>(n)].shift) & 0x3f);
    }
  }

  void push(const Row& row) {
    top_.valid_i = 1;
    tag_ = (tag_ + 1) & 3;
    top_.tag_i = static_cast<std::uint8_t>(tag_);
    top_.per_lane_i = row.per_lane;
    top_.multiplier_i = static_cast<std::uint32_t>(row.scalar.multiplier);
    top_.shift_i = static_cast<std::uint8_t>(row.scalar.shift & 0x3f);
    for (int n = 0; n < kDim; ++n)
      set_bits(top_.acc_i, 32 * n, 32, static_cast<std::uint32_t>(row.acc[static_cast<std::size_t>(n)]));
    expected_.push_back({row, tag_});
    cycle(true);
  }

  void idle() {
    top_.valid_i = 0;
    cycle(false);
  }

  void finish() {
    for (int i = 0; i < kLatency; ++i) idle();
    ASSERT_TRUE(expected_.empty());
  }

 private:
  struct Expected {
    Row row;
    int tag;
  };

  void cycle(bool valid) {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
    if (!top_.rst_ni) return;
    in_flight_ = (in_flight_ << 1 | (valid ? 1u : 0u)) & ((1u << kLatency) - 1);
    ASSERT_EQ(static_cast<bool>(top_.valid_o), (in_flight_ >> (kLatency - 1) & 1) != 0);
    if (top_.valid_o) {
      ASSERT_NO_FATAL_FAILURE(check(expected_.front()));
      expected_.pop_front();
    }
  }

  void check(const Expected& expected) {
    ASSERT_EQ(top_.tag_o, expected.tag);
    for (int n = 0; n < kDim; ++n) {
      const auto lane = static_cast<std::size_t>(n);
      const QuantParam param = expected.row.per_lane ? expected.row.lane[lane] : expected.row.scalar;
      const std::int32_t want =
          saturate_to_int32(multiply_by_quantized_multiplier(expected.row.acc[lane], param, rounding_));
      const auto got = static_cast<std::int32_t>(get_bits(top_.value_o, 32 * n, 32));
      ASSERT_EQ(got, want) << fmt::format("lane {} acc {} multiplier {} shift {} rounding {}", n,
                                          expected.row.acc[lane], param.multiplier, param.shift,
                                          static_cast<int>(rounding_));
    }
  }

  std::deque<Expected> expected_;
  Rounding rounding_ = Rounding::kDouble;
  unsigned in_flight_ = 0;
  int tag_ = 0;
  VerilatedContext context_;
  test::BlockModel<Model> top_{&context_};
};

/// Zero, extremes, and the neighbours of every power of two and of every half of one, both signs.
std::vector<std::int32_t> boundary_accumulators() {
  std::set<std::int32_t> values = {0, std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max()};
  for (int bit = 0; bit < 31; ++bit) {
    for (const std::int64_t base : {std::int64_t{1} << bit, std::int64_t{3} << bit}) {
      for (std::int64_t value = base - 2; value <= base + 2; ++value) {
        if (value <= std::numeric_limits<std::int32_t>::max()) {
          values.insert(static_cast<std::int32_t>(value));
          values.insert(static_cast<std::int32_t>(-value));
        }
      }
    }
  }
  return {values.begin(), values.end()};
}

const std::vector<std::int32_t> kMultipliers = {
    0,       1,          2,          3,          (1 << 30) - 1, 1 << 30,   (1 << 30) + 1,
    3 << 29, 0x5a827999, 0x7ffffffe, 0x7fffffff, 1 << 15,       0x55555555};

/// All shifts and multipliers side by side in the lanes (or as scalars), all accumulators in turn.
template <typename Model, int kDim>
void boundaries(bool per_lane) {
  const auto accumulators = boundary_accumulators();
  std::vector<QuantParam> params;
  for (const std::int32_t multiplier : kMultipliers) {
    for (int shift = kMinQuantShift; shift <= kMaxQuantShift; ++shift) params.push_back({multiplier, shift});
  }
  Bench<Model, kDim> bench;
  typename Bench<Model, kDim>::Row row{};
  row.per_lane = per_lane;
  for (const Rounding rounding : kRoundings) {
    if (per_lane) {
      for (std::size_t first = 0; first < params.size(); first += kDim) {
        for (std::size_t n = 0; n < kDim; ++n) row.lane[n] = params[(first + n) % params.size()];
        bench.configure(rounding, row.lane);
        for (const std::int32_t acc : accumulators) {
          row.acc.fill(acc);
          ASSERT_NO_FATAL_FAILURE(bench.push(row));
        }
      }
    } else {
      bench.configure(rounding, row.lane);
      for (const QuantParam& param : params) {
        row.scalar = param;
        for (std::size_t first = 0; first < accumulators.size(); first += kDim) {
          for (std::size_t n = 0; n < kDim; ++n) row.acc[n] = accumulators[(first + n) % accumulators.size()];
          ASSERT_NO_FATAL_FAILURE(bench.push(row));
        }
      }
    }
  }
  bench.finish();
}

TEST(Requantize, BoundariesPerLane) { boundaries<Vrequantize_dim16, 16>(true); }
TEST(Requantize, BoundariesScalar) { boundaries<Vrequantize_dim4, 4>(false); }

template <typename Model, int kDim>
void random_rows(std::uint64_t fallback) {
  std::mt19937_64 random(test::seed(fallback));
  const auto param = [&] {
    return QuantParam{static_cast<std::int32_t>(random() & 0x7fffffff), static_cast<int>(random() % 62) - 31};
  };
  Bench<Model, kDim> bench;
  for (int round = 0; round < 200; ++round) {
    typename Bench<Model, kDim>::Row row{};
    for (QuantParam& lane : row.lane) lane = param();
    bench.configure(kRoundings[random() % 3], row.lane);
    for (int i = 0; i < 100; ++i) {
      for (std::int32_t& acc : row.acc) acc = static_cast<std::int32_t>(random()) >> random() % 31;
      row.per_lane = random() & 1;
      row.scalar = param();
      ASSERT_NO_FATAL_FAILURE(bench.push(row));
      while (random() % 3 == 0) ASSERT_NO_FATAL_FAILURE(bench.idle());
    }
  }
  bench.finish();
}

class RequantizeRandom : public testing::TestWithParam<std::uint64_t> {};
TEST_P(RequantizeRandom, Dim4) { random_rows<Vrequantize_dim4, 4>(GetParam()); }
TEST_P(RequantizeRandom, Dim16) { random_rows<Vrequantize_dim16, 16>(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, RequantizeRandom, testing::Range<std::uint64_t>(1, 4));

/// tests/vectors/requantize.csv holds int8 results; the pipeline after this block is one addition and a clamp.
TEST(Requantize, IndependentVectors) {
  std::ifstream file(SYSTOLE_VECTORS "/requantize.csv");
  ASSERT_TRUE(file);
  std::string line;
  std::getline(file, line);
  VerilatedContext context;
  test::BlockModel<Vrequantize_dim4> top(&context);
  const auto tick = [&] {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  };
  int lines = 0;
  while (std::getline(file, line)) {
    std::istringstream text(line);
    std::array<std::int64_t, 9> field{};  // acc, multiplier, shift, zero point, low, high, then one result per rounding
    for (std::int64_t& value : field) {
      char comma;
      text >> value >> comma;
    }
    for (std::size_t r = 0; r < kRoundings.size(); ++r) {
      top.rst_ni = 1;
      top.valid_i = 1;
      top.rounding_i = static_cast<std::uint8_t>(kRoundings[r]);
      top.multiplier_i = static_cast<std::uint32_t>(field[1]);
      top.shift_i = static_cast<std::uint8_t>(field[2] & 0x3f);
      set_bits(top.acc_i, 0, 32, static_cast<std::uint32_t>(field[0]));
      for (int i = 0; i < kLatency; ++i) tick();
      const std::int64_t value = static_cast<std::int32_t>(get_bits(top.value_o, 0, 32)) + field[3];
      ASSERT_EQ(std::clamp(value, field[4], field[5]), field[6 + r]) << line;
    }
    ++lines;
  }
  EXPECT_GT(lines, 9000);
  top.final();
}

}  // namespace
