// SPDX-License-Identifier: Apache-2.0
// The range of what a softmax reads. Only differences from the largest value of a row count there, and those far below
// it come out as zero: how far below they are does not matter. So masks, which put -10^4 or minus infinity into a row,
// must not stretch the range.
#pragma once

#include <optional>

#include "range.hpp"

namespace systole::quantizer {

/// Rows that a softmax reads: all, or some, evenly spread, when they are many.
class SoftmaxRows {
 public:
  SoftmaxRows() = default;
  /// Of rows of `length` values, of which softmax has exp(beta x).
  SoftmaxRows(std::size_t length, float beta);

  void add(const std::vector<float>& values);
  void add(const SoftmaxRows& other);

  std::size_t length() const { return length_; }
  float beta() const { return beta_; }
  const std::vector<std::vector<float>>& rows() const { return rows_; }

 private:
  void take(const std::vector<float>& row);

  std::size_t length_ = 1;
  float beta_ = 1;
  std::size_t stride_ = 1;  ///< every stride-th row is kept
  std::size_t seen_ = 0;
  std::vector<std::vector<float>> rows_;
};

/// Mean square of the difference that quantization of the rows makes to what the softmax gives. Rows without a finite
/// largest value are left out.
double softmax_error(const SoftmaxRows& rows, const graph::Quantization& quantization);

/// The range, which holds zero, with the least of that error: its low end is where it matters no more how low a value
/// is. None where no row has a finite largest value.
std::optional<Range> softmax_range(const SoftmaxRows& rows);

}  // namespace systole::quantizer
