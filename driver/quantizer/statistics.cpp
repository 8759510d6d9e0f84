// SPDX-License-Identifier: Apache-2.0
#include "quantizer/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace systole::quantizer {
namespace {

constexpr std::size_t kHalf = Statistics::kBins / 2;

/// The least power of two of which half the bins hold the magnitude.
double width_for(double magnitude) {
  int exponent = 0;
  std::frexp(magnitude / static_cast<double>(kHalf), &exponent);  // below 2^exponent
  return std::ldexp(1.0, exponent);
}

}  // namespace

void Statistics::include(double least, double most) {
  min_ = count() == 0 ? least : std::min(min_, least);
  max_ = count() == 0 ? most : std::max(max_, most);
}

std::size_t Statistics::bin_of(double value) const {
  return static_cast<std::size_t>(std::floor(value / width_) + static_cast<double>(kHalf));
}

void Statistics::widen(double width) {
  if (width <= width_) {
    return;
  }
  const std::vector<Bin> old = std::move(bins_);
  const double old_width = width_;
  bins_.assign(kBins, {});
  width_ = width;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].count != 0) {
      // Widths are powers of two: a narrow bin lies in one wide bin.
      Bin& bin = bins_[bin_of((static_cast<double>(i) - static_cast<double>(kHalf)) * old_width)];
      bin.sum += old[i].sum;
      bin.count += old[i].count;
    }
  }
}

void Statistics::add(const std::vector<float>& values) {
  if (values.empty()) {
    return;
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  include(double{*least}, double{*most});
  const double magnitude = std::max(std::abs(min_), std::abs(max_));
  if (magnitude > 0) {
    widen(width_for(magnitude));
  }
  for (const float value : values) {
    if (value == 0) {
      ++zeros_;
      continue;
    }
    Bin& bin = bins_[bin_of(double{value})];
    bin.sum += double{value};
    ++bin.count;
    ++nonzeros_;
  }
}

void Statistics::add(const Statistics& other) {
  if (other.count() == 0) {
    return;
  }
  include(other.min_, other.max_);
  Statistics narrower = other;
  const double width = std::max(width_, other.width_);
  narrower.widen(width);
  widen(width);
  for (std::size_t i = 0; i < narrower.bins_.size(); ++i) {
    bins_[i].sum += narrower.bins_[i].sum;
    bins_[i].count += narrower.bins_[i].count;
  }
  zeros_ += other.zeros_;
  nonzeros_ += other.nonzeros_;
}

std::vector<Statistics::Group> Statistics::groups() const {
  std::vector<Group> result;
  for (std::size_t i = 0; i <= bins_.size(); ++i) {
    if (zeros_ != 0 && i == std::min(kHalf, bins_.size())) {
      result.push_back({0, zeros_});
    }
    if (i < bins_.size() && bins_[i].count != 0) {
      result.push_back({bins_[i].sum / static_cast<double>(bins_[i].count), bins_[i].count});
    }
  }
  return result;
}

}  // namespace systole::quantizer
