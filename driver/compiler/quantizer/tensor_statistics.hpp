// SPDX-License-Identifier: Apache-2.0
// What values a tensor takes, in a space that does not grow with their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::quantizer {

/// A histogram over a range that grows as values come. Zeros are counted apart, since quantization keeps them exact,
/// and so are infinite values and those that are not numbers, which have no place in it.
class Statistics {
 public:
  /// Bins of equal width, half of them below zero.
  static constexpr std::size_t kBins = 4096;

  /// Values that stand close together, as one: their mean, and how many.
  struct Group {
    double value = 0;
    std::uint64_t count = 0;
  };

  /// `bins` is a power of two.
  explicit Statistics(std::size_t bins = kBins) : bins_wanted_(bins) {}

  void add(const std::vector<float>& values);
  /// The values of the other, each times `factor`, which is above 0.
  void add(const Statistics& other, double factor = 1);

  /// Of finite values.
  std::uint64_t count() const { return zeros_ + nonzeros_; }
  double min() const { return min_; }  ///< of finite values; 0 without any
  double max() const { return max_; }
  std::uint64_t minus_infinite() const { return minus_infinite_; }
  std::uint64_t plus_infinite() const { return plus_infinite_; }
  std::uint64_t not_numbers() const { return not_numbers_; }
  bool all_finite() const { return minus_infinite_ + plus_infinite_ + not_numbers_ == 0; }

  /// Finite values in rising order. Values that are further apart than 4 / bins of the largest magnitude are in
  /// different groups.
  std::vector<Group> groups() const;
  /// Mean of the squares of finite values; 0 without any.
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
  double width_ = 0;  ///< of a bin, a power of two; 0 before the first value that is not zero
  std::vector<Bin> bins_;
  std::uint64_t zeros_ = 0, nonzeros_ = 0, minus_infinite_ = 0, plus_infinite_ = 0, not_numbers_ = 0;
  double min_ = 0, max_ = 0;
};

/// One histogram per channel, the last dimension of a tensor or what the last dimension has `channels` of in turn. They
/// are the coarser the more channels there are, so that all together take about a megabyte.
class ChannelStatistics {
 public:
  ChannelStatistics() = default;
  explicit ChannelStatistics(std::size_t channels);

  void add(const std::vector<float>& values);
  void add(const ChannelStatistics& other);

  const std::vector<Statistics>& channels() const { return channels_; }
  /// All channels as one, each divided by its divisor.
  Statistics divided(const std::vector<double>& divisors) const;

 private:
  friend class Statistics;  // which is the case of one channel
  std::vector<Statistics> channels_;
};

}  // namespace systole::quantizer
