// SPDX-License-Identifier: Apache-2.0
// The wide path for multipliers and shifts out of range equals the ordinary one where both are defined.
#include <gtest/gtest.h>

#include <random>

#include "model_parameters.hpp"
#include "seed.hpp"

namespace systole {
namespace {

TEST(Parameters, WidePathEqualsTheOrdinaryOne) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 200000; ++i) {
    const QuantParam scale{static_cast<std::int32_t>(random() >> 33), static_cast<int>(random() % 62) - 31};
    const auto value = static_cast<std::int32_t>(random() >> (random() % 32));
    for (const auto rounding : {Rounding::kDouble, Rounding::kSingle, Rounding::kEven}) {
      ASSERT_EQ(model::rescale_any(value, scale, rounding), multiply_by_quantized_multiplier(value, scale, rounding))
          << value << " * " << scale.multiplier << ", shift " << scale.shift;
    }
  }
}

TEST(Parameters, ShiftIsSixBitsSigned) {
  for (int shift = -32; shift < 32; ++shift) {
    for (const int high : {0, 0x40, 0x80, 0xc0}) {
      EXPECT_EQ(model::shift_of(static_cast<std::int8_t>((shift & 0x3f) | high)), shift);
    }
  }
}

TEST(Parameters, OutOfRangeHasOneResult) {
  constexpr std::int32_t kLow = INT32_MIN;
  EXPECT_EQ(model::rescale(kLow, {kLow, 0}, Rounding::kDouble), INT32_MAX);
  EXPECT_EQ(model::rescale(5, {-(1 << 30), 1}, Rounding::kSingle), -5);
  EXPECT_EQ(model::rescale(3, {1, 31}, Rounding::kEven), 3);
  EXPECT_EQ(model::rescale(kLow, {INT32_MAX, -32}, Rounding::kDouble), 0);
}

}  // namespace
}  // namespace systole
