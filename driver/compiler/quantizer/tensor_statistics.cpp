// SPDX-License-Identifier: Apache-2.0
#include "tensor_statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace systole::quantizer {

std::size_t Statistics::bin_of(double value) const {
  const auto bin = static_cast<std::size_t>(std::floor(value / width_) + half());
  return std::min(bin, bins_wanted_ - 1);  // rounding may move a mean to the end of the range
}

void Statistics::widen(double width) {
  if (width <= width_) {
    return;
  }
  const std::vector<Bin> old = std::move(bins_);
  const double old_width = width_;
  bins_.assign(bins_wanted_, {});
  width_ = width;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].count != 0) {
      // Widths are powers of two: a narrow bin lies inside one wide bin.
      Bin& bin = bins_[bin_of((static_cast<double>(i) - half()) * old_width)];
      bin.sum += old[i].sum;
      bin.count += old[i].count;
    }
  }
}

/// Updates the extremes and widens the range for new values: to the smallest power of two for which half the bins hold
/// both.
void Statistics::widen_for(double least, double most) {
  min_ = count() == 0 ? least : std::min(min_, least);
  max_ = count() == 0 ? most : std::max(max_, most);
  const double magnitude = std::max(std::abs(min_), std::abs(max_));
  if (magnitude > 0) {
    int exponent = 0;
    std::frexp(magnitude / half(), &exponent);  // magnitude / half() is below 2^exponent
    widen(std::ldexp(1.0, exponent));
  }
}

void Statistics::insert(float value) {
  if (value == 0) {
    ++zeros_;
    return;
  }
  Bin& bin = bins_[bin_of(double{value})];
  bin.sum += double{value};
  ++bin.count;
  ++nonzeros_;
}

void Statistics::add(const std::vector<float>& values) {
  ChannelStatistics one;
  one.channels_.push_back(std::move(*this));
  one.add(values);
  *this = std::move(one.channels_.front());
}

void Statistics::add(const Statistics& other, double factor) {
  minus_infinite_ += other.minus_infinite_;
  plus_infinite_ += other.plus_infinite_;
  not_numbers_ += other.not_numbers_;
  if (other.count() == 0) {
    return;
  }
  widen_for(other.min_ * factor, other.max_ * factor);
  for (const Bin& bin : other.bins_) {
    if (bin.count != 0) {
      Bin& here = bins_[bin_of(bin.sum / static_cast<double>(bin.count) * factor)];
      here.sum += bin.sum * factor;
      here.count += bin.count;
    }
  }
  zeros_ += other.zeros_;
  nonzeros_ += other.nonzeros_;
}

std::vector<Statistics::Group> Statistics::groups() const {
  std::vector<Group> result;
  for (std::size_t i = 0; i <= bins_.size(); ++i) {
    if (zeros_ != 0 && i == std::min(bins_wanted_ / 2, bins_.size())) {
      result.push_back({0, zeros_});
    }
    if (i < bins_.size() && bins_[i].count != 0) {
      result.push_back({bins_[i].sum / static_cast<double>(bins_[i].count), bins_[i].count});
    }
  }
  return result;
}

double Statistics::mean_square() const {
  double sum = 0;
  for (const Group& group : groups()) {
    sum += group.value * group.value * static_cast<double>(group.count);
  }
  return count() == 0 ? 0 : sum / static_cast<double>(count());
}

ChannelStatistics::ChannelStatistics(std::size_t channels) {
  constexpr std::size_t kBinsOfAll = 1 << 16, kLeastBins = 128;
  const std::size_t bins = std::bit_floor(std::max<std::size_t>(kBinsOfAll / channels, 1));
  channels_.assign(channels, Statistics(std::clamp(bins, kLeastBins, Statistics::kBins)));
}

void ChannelStatistics::add(const std::vector<float>& values) {
  struct Extremes {
    float least = 0, most = 0;
    bool seen = false;
  };
  std::vector<Extremes> extremes(channels_.size());
  for (std::size_t i = 0, c = 0; i < values.size(); ++i, c = c + 1 == channels_.size() ? 0 : c + 1) {
    if (std::isfinite(values[i])) {
      Extremes& e = extremes[c];
      e.least = e.seen ? std::min(e.least, values[i]) : values[i];
      e.most = e.seen ? std::max(e.most, values[i]) : values[i];
      e.seen = true;
    }
  }
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    if (extremes[c].seen) {
      channels_[c].widen_for(double{extremes[c].least}, double{extremes[c].most});
    }
  }
  for (std::size_t i = 0, c = 0; i < values.size(); ++i, c = c + 1 == channels_.size() ? 0 : c + 1) {
    if (std::isfinite(values[i])) {
      channels_[c].insert(values[i]);
    } else {
      ++(std::isnan(values[i]) ? channels_[c].not_numbers_
         : values[i] < 0       ? channels_[c].minus_infinite_
                               : channels_[c].plus_infinite_);
    }
  }
}

void ChannelStatistics::add(const ChannelStatistics& other) {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    channels_[c].add(other.channels_[c]);
  }
}

Statistics ChannelStatistics::divided(const std::vector<double>& divisors) const {
  Statistics all;
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    all.add(channels_[c], 1 / divisors[c]);
  }
  return all;
}

}  // namespace systole::quantizer
