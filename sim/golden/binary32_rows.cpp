// SPDX-License-Identifier: Apache-2.0
#include "binary32_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>

#include "binary32.hpp"

namespace systole::golden::binary32 {
namespace {

constexpr int kSteps = 3;  // of Newton's method

}  // namespace

float sum_of_row(const float* row, std::size_t count) {
  std::array<float, 32> sums{};
  for (std::size_t i = 0; i < count; ++i) {
    sums[i % sums.size()] = add(sums[i % sums.size()], row[i]);
  }
  for (std::size_t left = sums.size(); left > 1; left /= 2) {
    for (std::size_t i = 0; i < left / 2; ++i) {
      sums[i] = add(sums[2 * i], sums[2 * i + 1]);
    }
  }
  return sums[0];
}

float mean_of_row(const float* row, std::size_t count) {
  return multiply(sum_of_row(row, count), 1.0F / static_cast<float>(count));
}

float near_reciprocal(float a) {
  constexpr std::uint32_t kFirst = 0x7ef311c7;  // first estimate: this less the bits
  float root = std::bit_cast<float>(kFirst - std::bit_cast<std::uint32_t>(a));
  for (int step = 0; step < kSteps; ++step) {
    root = multiply(root, subtract(2, multiply(a, root)));
  }
  return root;
}

float near_reciprocal_root(float a) {
  constexpr std::uint32_t kFirst = 0x5f3759df;  // first estimate: this less half the bits
  const std::uint32_t half_bits = std::bit_cast<std::uint32_t>(a) >> 1;
  float root = std::bit_cast<float>(kFirst - half_bits);
  const float half = multiply(a, 0.5F);
  for (int step = 0; step < kSteps; ++step) {
    root = multiply(root, subtract(1.5F, multiply(multiply(root, root), half)));
  }
  return root;
}

float near_exponential(float a) {
  constexpr float kLeast = -87.5F, kLog2Inverse = 1.44269504088896341F;
  constexpr std::array<float, 4> kPowers = {9.58285294e-3F, 5.59064262e-2F, 2.40240991e-1F, 6.93124175e-1F};
  const float steps = multiply(maximum(a, kLeast), kLog2Inverse);
  const std::int32_t whole = to_int(steps);
  const float rest = subtract(steps, static_cast<float>(whole));
  float power = multiply(rest, kPowers[0]);
  for (std::size_t i = 1; i < kPowers.size(); ++i) {
    power = multiply(add(power, kPowers[i]), rest);
  }
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(add(power, 1)) + (static_cast<std::uint32_t>(whole) << 23));
}

float near_sigmoid(float a) {
  constexpr float kMost = 80;
  return near_reciprocal(add(near_exponential(minimum(negative(a), kMost)), 1));
}

void softmax_of_row(float* row, std::size_t count) {
  const float most = std::accumulate(row, row + count, -std::numeric_limits<float>::infinity(), maximum);
  std::transform(row, row + count, row, [=](float x) { return near_exponential(subtract(x, most)); });
  const float share = near_reciprocal(sum_of_row(row, count));
  std::transform(row, row + count, row, [=](float x) { return multiply(x, share); });
}

}  // namespace systole::golden::binary32
