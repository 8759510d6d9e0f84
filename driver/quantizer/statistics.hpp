// SPDX-License-Identifier: Apache-2.0
// What values a tensor takes, in a space that does not grow with their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::quantizer {

/// A histogram over a range that grows as values come. Zeros are counted apart: quantization keeps them exact.
class Statistics {
 public:
  /// Bins of equal width, half of them below zero.
  static constexpr std::size_t kBins = 4096;

  /// Values that stand close together, as one: their mean, and how many.
  struct Group {
    double value = 0;
    std::uint64_t count = 0;
  };

  /// Every value is finite.
  void add(const std::vector<float>& values);
  void add(const Statistics& other);

  std::uint64_t count() const { return zeros_ + nonzeros_; }
  double min() const { return min_; }  ///< 0 without values
  double max() const { return max_; }

  /// The values in rising order. Values that are further apart than 1/1024 of the largest magnitude are in different groups.
  std::vector<Group> groups() const;

 private:
  struct Bin {
    double sum = 0;
    std::uint64_t count = 0;
  };
  void widen(double width);
  std::size_t bin_of(double value) const;
  void include(double least, double most);

  double width_ = 0;  ///< of a bin, a power of two; 0 before the first value that is not zero
  std::vector<Bin> bins_;
  std::uint64_t zeros_ = 0, nonzeros_ = 0;
  double min_ = 0, max_ = 0;
};

}  // namespace systole::quantizer
