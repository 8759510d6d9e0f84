// SPDX-License-Identifier: Apache-2.0
#include "binary32_rows.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "binary32.hpp"
#include "functions/near.hpp"

namespace systole::golden::binary32 {

using functions::F32;

float sum_of_row(const float* row, std::size_t count, int apart) {
  std::vector<float> sums(static_cast<std::size_t>(apart));
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

float near_reciprocal(float a) { return functions::near_reciprocal(F32(a)).value; }
float near_reciprocal_root(float a) { return functions::near_reciprocal_root(F32(a)).value; }
float near_root(float a) { return functions::near_root(F32(a)).value; }
float near_quotient(float a, float b) { return functions::near_quotient(F32(a), F32(b)).value; }
float near_exponential(float a) { return functions::near_exponential(F32(a)).value; }
float near_sigmoid(float a) { return functions::near_sigmoid(F32(a)).value; }

namespace {

template <class Power, class Inverse>
void softmax(float* row, std::size_t count, int apart, const Power& power, const Inverse& inverse) {
  const float most = std::accumulate(row, row + count, -std::numeric_limits<float>::infinity(), maximum);
  std::transform(row, row + count, row, [=](float x) { return power(subtract(x, most)); });
  const float share = inverse(sum_of_row(row, count, apart));
  std::transform(row, row + count, row, [=](float x) { return multiply(x, share); });
}

}  // namespace

void softmax_of_row(float* row, std::size_t count) {
  softmax(row, count, kSumsOfRow, near_exponential, near_reciprocal);
}

void strict_softmax_of_row(float* row, std::size_t count) {
  softmax(row, count, sums_of_strict_softmax(count), exponential, [](float sum) { return divide(1, sum); });
}

}  // namespace systole::golden::binary32
