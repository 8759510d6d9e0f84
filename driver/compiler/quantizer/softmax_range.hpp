// SPDX-License-Identifier: Apache-2.0
// Chooses the range of a softmax operand. Only differences from the largest value of a row matter, and values far below
// it give zero, no matter how far. So masks, which add -10^4 or minus infinity to a row, must not widen the range.
#pragma once

#include <optional>

#include "range.hpp"

namespace systole::quantizer {

/// Rows that a softmax reads: all, or an evenly spaced selection if there are many.
class SoftmaxRows {
 public:
  SoftmaxRows() = default;
  /// For rows of `length` values; the softmax uses exp(beta x).
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

/// Mean square error of the softmax caused by quantizing the rows. Rows without a finite maximum are skipped.
double softmax_error(const SoftmaxRows& rows, const graph::Quantization& quantization);

/// The range, including zero, with the smallest such error: values below its low end have no effect. None if no row has
/// a finite maximum.
std::optional<Range> softmax_range(const SoftmaxRows& rows);

}  // namespace systole::quantizer
