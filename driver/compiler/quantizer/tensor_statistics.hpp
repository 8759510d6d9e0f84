// SPDX-License-Identifier: Apache-2.0
// Statistics of a tensor's values, in constant space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::quantizer {

/// A histogram over a range that grows with the values. Zeros are counted separately, since quantization represents
/// them exactly; so are infinities and NaNs, which fit no bin.
class Statistics {
 public:
  /// Bins of equal width, half of them below zero.
  static constexpr std::size_t kBins = 4096;

  /// Values close together, represented by their mean and count.
  struct Group {
    double value = 0;
    std::uint64_t count = 0;
  };

  /// `bins` is a power of two.
  explicit Statistics(std::size_t bins = kBins) : bins_wanted_(bins) {}

  void add(const std::vector<float>& values);
  /// Adds the values of another histogram, each times `factor`, which must be positive.
  void add(const Statistics& other, double factor = 1);

  /// Of finite values.
  std::uint64_t count() const { return zeros_ + nonzeros_; }
  double min() const { return min_; }  ///< of finite values; 0 if there are none
  double max() const { return max_; }
  std::uint64_t minus_infinite() const { return minus_infinite_; }
  std::uint64_t plus_infinite() const { return plus_infinite_; }
  std::uint64_t not_numbers() const { return not_numbers_; }
  bool all_finite() const { return minus_infinite_ + plus_infinite_ + not_numbers_ == 0; }

  /// Finite values in ascending order. Values further apart than 4 / bins of the largest magnitude are in different
  /// groups.
  std::vector<Group> groups() const;
  /// Mean square of the finite values; 0 if there are none.
  double mean_square() const;

 private:
  friend class ChannelStatistics;
  struct Bin {
    double sum = 0;
    std::uint64_t count = 0;
  };
  void widen(double width);
  void widen_for(double least, double most);
  void insert(float value);
  std::size_t bin_of(double value) const;
  double half() const { return static_cast<double>(bins_wanted_ / 2); }

  std::size_t bins_wanted_;
  double width_ = 0;  ///< width of a bin, a power of two; 0 before the first nonzero value
  std::vector<Bin> bins_;
  std::uint64_t zeros_ = 0, nonzeros_ = 0, minus_infinite_ = 0, plus_infinite_ = 0, not_numbers_ = 0;
  double min_ = 0, max_ = 0;
};

/// One histogram per channel; the last dimension holds the channels once or several times in turn. The more channels,
/// the fewer bins each: together they take about a megabyte.
class ChannelStatistics {
 public:
  ChannelStatistics() = default;
  explicit ChannelStatistics(std::size_t channels);

  void add(const std::vector<float>& values);
  void add(const ChannelStatistics& other);

  const std::vector<Statistics>& channels() const { return channels_; }
  /// All channels combined, each divided by its divisor.
  Statistics divided(const std::vector<double>& divisors) const;

 private:
  friend class Statistics;  // the special case of one channel
  std::vector<Statistics> channels_;
};

}  // namespace systole::quantizer
