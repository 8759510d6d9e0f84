// SPDX-License-Identifier: Apache-2.0
// The systolic array against plain matrix products: exact sums, exact latency, any gaps, any legal swap.
#include "array_stimulus.hpp"
#include "block_model.hpp"
#include "seed.hpp"

#include "Varray_dim16.h"
#include "Varray_dim32.h"
#include "Varray_dim4.h"
#include "Varray_dim8.h"
#include "Varray_dim8lean.h"
#include "Varray_dim8recoded.h"
#include "Varray_rows2.h"
#include "Varray_rows3.h"

#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

namespace systole::test {
namespace {

/// Rows of an array; a port of three bytes has the size of four.
template <typename Model>
struct Rows : std::integral_constant<int, sizeof(Model::act_data_i)> {};
template <>
struct Rows<Varray_rows3> : std::integral_constant<int, 3> {};

/// A Verilated array with its clock. Ports of any width are plain little-endian memory in Verilator's C++.
template <typename Model>
class ArrayBench {
 public:
  static constexpr int rows = Rows<Model>::value;
  static constexpr int dim = sizeof(Model::wt_data_i);  // Columns.

  ArrayBench() : model_(&context_) {
    context_.fatalOnError(false);
    context_.errorLimit(1000);
    reset();
  }
  ~ArrayBench() { model_.final(); }

  void reset() {
    drive({false, false, Bytes(rows), false, 0, Bytes(dim)});
    model_.rst_ni = 0;
    clock();
    model_.rst_ni = 1;
  }

  /// One cycle with these inputs; afterwards the outputs of the next cycle are valid.
  void step(const ArrayCycle& inputs) {
    drive(inputs);
    clock();
  }

  bool sum_valid() const { return model_.sum_valid_o; }
  Sums sums() const {
    Sums result(dim);
    std::memcpy(result.data(), &model_.sum_data_o, sizeof model_.sum_data_o);
    return result;
  }
  void expect_assertions() { model_.expect_assertions(); }
  int errors() const { return context_.errorCount(); }

 private:
  void drive(const ArrayCycle& inputs) {
    model_.act_valid_i = inputs.act_valid;
    model_.act_swap_i = inputs.act_swap;
    std::memcpy(&model_.act_data_i, inputs.act.data(), rows);
    model_.wt_valid_i = inputs.wt_valid;
    model_.wt_row_i = inputs.wt_row;
    std::memcpy(&model_.wt_data_i, inputs.wt.data(), dim);
  }
  void clock() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
  }

  VerilatedContext context_;
  mutable BlockModel<Model> model_;
};

template <typename Model>
void check(const ArrayStimulus& stimulus) {
  ArrayBench<Model> bench;
  constexpr int latency = ArrayBench<Model>::rows + ArrayBench<Model>::dim;
  const int count = static_cast<int>(stimulus.cycles.size());
  for (int cycle = 0; cycle < count; ++cycle) {
    bench.step(stimulus.cycles[cycle]);
    const int source = cycle + 1 - latency;
    const bool expected = source >= 0 && stimulus.expected[source].has_value();
    ASSERT_EQ(bench.sum_valid(), expected) << "in cycle " << cycle + 1;
    if (expected) {
      ASSERT_EQ(bench.sums(), *stimulus.expected[source]) << "vector of cycle " << source;
    }
  }
  EXPECT_EQ(bench.errors(), 0) << "assertion failures";
}

template <typename Model>
class Array : public testing::Test {
 protected:
  static constexpr int rows = ArrayBench<Model>::rows;
  static constexpr int dim = ArrayBench<Model>::dim;
  ArrayStimulus stimulus(Values values, int gap_percent, bool tight, std::uint64_t seed, int tiles = 60) {
    return ArrayStimulusMaker(rows, dim, values, gap_percent, tight, seed).make(tiles);
  }
};

using Models = testing::Types<Varray_dim4, Varray_dim8, Varray_dim8lean, Varray_dim16, Varray_dim32, Varray_rows2,
                              Varray_rows3, Varray_dim8recoded>;
TYPED_TEST_SUITE(Array, Models);

TYPED_TEST(Array, RandomTilesAndGaps) {
  const std::uint64_t first = seed();
  for (int gap_percent : {0, 20, 60, 90}) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      SCOPED_TRACE("gaps " + std::to_string(gap_percent) + " %, seed " + std::to_string(first + i));
      check<TypeParam>(this->stimulus(Values::Uniform, gap_percent, false, first + i));
    }
  }
}

TYPED_TEST(Array, CornerValues) {
  const std::uint64_t first = seed();
  for (std::uint64_t i = 0; i < 4; ++i) check<TypeParam>(this->stimulus(Values::Corners, 10, false, first + i));
}

TYPED_TEST(Array, LargestSum) { check<TypeParam>(this->stimulus(Values::Minimum, 0, false, 1, 4)); }

TYPED_TEST(Array, SwapEveryDimCyclesWithoutBubble) {
  check<TypeParam>(this->stimulus(Values::Uniform, 0, true, seed(), 40));
}

TYPED_TEST(Array, SwapEveryDimCyclesWithGaps) {
  check<TypeParam>(this->stimulus(Values::Uniform, 40, true, seed(), 40));
}

TYPED_TEST(Array, EveryProductOfTwoInt8) {
  // Lane k of the operands steps through all values while every weight of a tile is one value.
  constexpr int rows = TestFixture::rows, dim = TestFixture::dim;
  ArrayBench<TypeParam> bench;
  const Bytes no_act(rows), no_weights(dim);
  for (int weight = -128; weight <= 127; ++weight) {
    for (int row = 0; row < rows; ++row) {
      bench.step({false, false, no_act, true, row, Bytes(dim, static_cast<std::int8_t>(row == 1 ? weight : 0))});
    }
    for (int cycle = 0; cycle < 256 + rows + dim; ++cycle) {
      Bytes act(rows);
      act[1] = static_cast<std::int8_t>(cycle - 128);
      bench.step({cycle < 256, cycle == 0, act, false, 0, no_weights});
      const int source = cycle + 1 - rows - dim;
      if (source < 0) continue;
      ASSERT_EQ(bench.sum_valid(), source < 256);
      if (source < 256) {
        ASSERT_EQ(bench.sums(), Sums(dim, (source - 128) * weight));
      }
    }
  }
  EXPECT_EQ(bench.errors(), 0);
}

TYPED_TEST(Array, ResetEmptiesTheArray) {
  constexpr int dim = TestFixture::dim;
  const ArrayStimulus stimulus = this->stimulus(Values::Uniform, 0, true, seed(), 4);
  ArrayBench<TypeParam> bench;
  for (int cycle = 0; cycle < 5 * dim; ++cycle) bench.step(stimulus.cycles[cycle]);
  bench.reset();
  for (int cycle = 0; cycle < 3 * dim; ++cycle) {
    EXPECT_FALSE(bench.sum_valid());
    bench.step({false, false, Bytes(TestFixture::rows), false, 0, Bytes(dim)});
  }
}

// The assertions must fail when the contract of the shadow weights is broken.

template <typename Model>
std::string violations(int late_row, int late_cycle) {
  constexpr int rows = ArrayBench<Model>::rows, dim = ArrayBench<Model>::dim;
  ArrayBench<Model> bench;
  bench.expect_assertions();
  const Bytes no_act(rows), no_weights(dim);
  testing::internal::CaptureStdout();
  for (int row = 0; row < rows; ++row) bench.step({false, false, no_act, true, row, no_weights});
  for (int cycle = 0; cycle < 3 * dim; ++cycle) {
    bench.step({true, cycle == 0, no_act, cycle == late_cycle, late_row, no_weights});
  }
  std::fflush(stdout);
  const std::string output = testing::internal::GetCapturedStdout();
  return bench.errors() == 0 ? "" : output;
}

TYPED_TEST(Array, AssertsThatShadowWeightsHoldDuringASwap) {
  constexpr int rows = TestFixture::rows, dim = TestFixture::dim;
  for (int row = 0; row < rows; ++row) {
    for (int cycle = row; cycle <= row + dim - 2; ++cycle) {
      EXPECT_NE(violations<TypeParam>(row, cycle).find("ShadowHeldDuringSwap"), std::string::npos)
          << row << " " << cycle;
    }
    EXPECT_EQ(violations<TypeParam>(row, row + dim - 1), "") << "first legal cycle of row " << row;
    if (row > 0) {
      EXPECT_EQ(violations<TypeParam>(row, row - 1), "") << "last legal cycle of row " << row;
    }
  }
}

TYPED_TEST(Array, AssertsThatShadowWeightsAreWrittenBeforeASwap) {
  constexpr int rows = TestFixture::rows, dim = TestFixture::dim;
  const Bytes no_act(rows), no_weights(dim);
  // Rows after the first 16 may keep what they hold, for block floating point.
  for (int missing = 0; missing < rows; ++missing) {
    ArrayBench<TypeParam> bench;
    bench.expect_assertions();
    testing::internal::CaptureStdout();
    for (int row = 0; row < rows; ++row) bench.step({false, false, no_act, row != missing, row, no_weights});
    for (int cycle = 0; cycle < 2 * dim; ++cycle) bench.step({true, cycle == 0, no_act, false, 0, no_weights});
    std::fflush(stdout);
    const bool reported = testing::internal::GetCapturedStdout().find("ShadowWrittenBeforeSwap") != std::string::npos;
    EXPECT_EQ(reported, missing < 16) << missing;
    EXPECT_EQ(bench.errors(), missing < 16 ? 1 : 0);
  }
}

}  // namespace
}  // namespace systole::test
