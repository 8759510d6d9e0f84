// SPDX-License-Identifier: Apache-2.0
#include "products.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

// This many products of two signed 10-bit numbers fit in an int32.
constexpr std::size_t kDepth = std::size_t{1} << 12;
// Rows of the left operand that use each row of the right operand while it is in the L1 cache.
constexpr std::size_t kRows = 16;

std::int32_t dot(const std::int16_t* left, const std::int16_t* right, std::size_t depth) {
  std::int32_t sum = 0;
  for (std::size_t k = 0; k < depth; ++k) {
    sum += std::int32_t{left[k]} * right[k];
  }
  return sum;
}

}  // namespace

void Rows16::set(std::size_t r, std::size_t k, const std::int8_t* values, std::size_t count, std::int32_t zero_point) {
  if (zero_point < -256 || zero_point > 256) {
    throw InvalidArgument(fmt::format("a zero point of {}; it is in -256 .. 256", zero_point));
  }
  std::int16_t* to = data_.data() + r * depth_ + k;
  const auto zero = static_cast<std::int16_t>(zero_point);
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = static_cast<std::int16_t>(values[i] - zero);
  }
}

void Rows16::clear(std::size_t r, std::size_t k, std::size_t count) {
  std::fill_n(data_.begin() + static_cast<std::ptrdiff_t>(r * depth_ + k), count, std::int16_t{0});
}

void add_products(const Rows16& left, std::size_t first, std::size_t count, const Rows16& right, std::size_t from,
                  std::size_t columns, std::uint32_t* sums, std::size_t pitch) {
  for (std::size_t block = 0; block < count; block += kRows) {
    const std::size_t end = std::min(count, block + kRows);
    for (std::size_t k = 0; k < left.depth(); k += kDepth) {
      const std::size_t depth = std::min(kDepth, left.depth() - k);
      for (std::size_t r = 0; r < columns; ++r) {
        for (std::size_t l = block; l < end; ++l) {
          sums[l * pitch + r] +=
              static_cast<std::uint32_t>(dot(left.row(first + l) + k, right.row(from + r) + k, depth));
        }
      }
    }
  }
}

void add_each_product(const std::int16_t* left, const std::int16_t* right, std::size_t count, std::uint32_t* sums) {
  for (std::size_t i = 0; i < count; ++i) {
    sums[i] += static_cast<std::uint32_t>(std::int32_t{left[i]} * right[i]);
  }
}

}  // namespace systole::golden
