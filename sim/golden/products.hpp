// SPDX-License-Identifier: Apache-2.0
//
// The inner loop of convolutions and matrix products: dot products of numbers that fit 9 bits, an int8 or uint8 minus
// its zero point. Written so that compilers use the multiply-add instruction on pairs of int16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::golden {

// A matrix of 16-bit elements. `set` writes value - zero_point.
class Rows16 {
 public:
  Rows16(std::size_t rows, std::size_t depth) : depth_(depth), data_(rows * depth) {}
  std::size_t depth() const { return depth_; }
  const std::int16_t* row(std::size_t r) const { return data_.data() + r * depth_; }
  // Elements k .. k + count - 1 of a row. Throws InvalidArgument for a zero point outside -256 .. 256.
  void set(std::size_t r, std::size_t k, const std::int8_t* values, std::size_t count, std::int32_t zero_point);
  void clear(std::size_t r, std::size_t k, std::size_t count);

 private:
  std::size_t depth_;
  std::vector<std::int16_t> data_;
};

// sums[l * pitch + r] += sum over k of left[first + l][k] * right[from + r][k], wrapping, for `count` rows of the left
// and `columns` rows of the right operand.
void add_products(const Rows16& left, std::size_t first, std::size_t count, const Rows16& right, std::size_t from,
                  std::size_t columns, std::uint32_t* sums, std::size_t pitch);

// Element-wise: sums[i] += left[i] * right[i].
void add_each_product(const std::int16_t* left, const std::int16_t* right, std::size_t count, std::uint32_t* sums);

}  // namespace systole::golden
