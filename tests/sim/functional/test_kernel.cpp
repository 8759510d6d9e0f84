// SPDX-License-Identifier: Apache-2.0
// Each kernel that this processor can run against three nested loops, extreme values included.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "seed.hpp"
#include "tile_kernel.hpp"

namespace systole {
namespace {

using model::TileKernel;

std::vector<TileKernel> kernels(int dim) {
  std::vector<TileKernel> list = {model::tile_kernel_sse2(dim), model::tile_kernel(dim)};
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) list.push_back(model::tile_kernel_avx2(dim));
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    list.push_back(model::tile_kernel_avx512(dim));
  return list;
}

TEST(TileKernel, EqualsNestedLoops) {
  std::mt19937_64 random(test::seed());
  for (const int dim : {4, 8, 16, 32}) {
    const auto side = static_cast<std::size_t>(dim);
    for (const bool extreme : {false, true}) {
      for (const std::size_t positions : {1u, 2u, 31u, 32u, 33u, 100u}) {
        std::vector<std::int8_t> activations(positions * side), weights(side * side);
        for (auto& v : activations) v = extreme ? std::int8_t{-128} : static_cast<std::int8_t>(random());
        for (auto& v : weights) v = extreme ? std::int8_t{-128} : static_cast<std::int8_t>(random());
        std::vector<std::int32_t> start(positions * side);
        for (auto& v : start) v = static_cast<std::int32_t>(random());
        std::vector<const std::int8_t*> rows(positions);
        std::vector<std::int32_t> expected = start;
        for (std::size_t p = 0; p < positions; ++p) {
          rows[p] = &activations[p * side];
          for (std::size_t n = 0; n < side; ++n) {
            auto sum = static_cast<std::uint32_t>(start[p * side + n]);
            for (std::size_t k = 0; k < side; ++k)
              sum += static_cast<std::uint32_t>(rows[p][k] * weights[k * side + n]);
            expected[p * side + n] = static_cast<std::int32_t>(sum);
          }
        }
        for (const TileKernel kernel : kernels(dim)) {
          std::vector<std::int32_t> sums = start;
          kernel(sums.data(), rows.data(), positions, weights.data());
          EXPECT_EQ(sums, expected) << "dim " << dim << ", " << positions << " positions";
        }
      }
    }
  }
}

TEST(TileKernel, OtherSidesHaveNone) { EXPECT_EQ(model::tile_kernel(12), nullptr); }

}  // namespace
}  // namespace systole
