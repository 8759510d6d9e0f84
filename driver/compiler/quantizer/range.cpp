// SPDX-License-Identifier: Apache-2.0
#include "range.hpp"

#include <algorithm>
#include <cmath>

namespace systole::quantizer {
namespace {

using Groups = std::vector<Statistics::Group>;

constexpr double kLeast = -128, kMost = 127;

Range with_zero(Range range) { return {std::min(range.low, 0.0), std::max(range.high, 0.0)}; }

/// The smallest value that the given share of all values does not exceed.
template <class Iterator>
double outermost(Iterator first, Iterator last, double part, std::uint64_t count) {
  constexpr double kRounding = 1 + 1e-9;  // tolerance for the percentile's rounding, as a fraction
  double left = part * static_cast<double>(count) * kRounding;
  for (; first + 1 < last && static_cast<double>(first->count) <= left; ++first) {
    left -= static_cast<double>(first->count);
  }
  return first->value;
}

Range percentiles(const Statistics& statistics, double percentile) {
  const Groups groups = statistics.groups();
  const double part = 1 - percentile / 100;
  return {outermost(groups.begin(), groups.end(), part, statistics.count()),
          outermost(groups.rbegin(), groups.rend(), part, statistics.count())};
}

/// The best range whose ends are fractions of the full range: first one fraction for both ends, then each end
/// separately.
Range least_error(const Statistics& statistics, Symmetry symmetry) {
  constexpr int kSteps = 64;
  const Groups groups = statistics.groups();
  const Range full = with_zero({statistics.min(), statistics.max()});
  Range best = full;
  double least = mean_square_error(groups, int8_quantization(full, symmetry));
  const auto attempt = [&](const Range& range) {
    const double error = mean_square_error(groups, int8_quantization(range, symmetry));
    if (error < least) {
      least = error;
      best = range;
    }
  };
  const auto fraction = [](int step) { return static_cast<double>(step) / kSteps; };
  for (int step = kSteps - 1; step > 0; --step) {
    attempt({full.low * fraction(step), full.high * fraction(step)});
  }
  for (int step = kSteps; step > 0 && full.low < 0; --step) {
    attempt({full.low * fraction(step), best.high});
  }
  for (int step = kSteps; step > 0 && full.high > 0; --step) {
    attempt({best.low, full.high * fraction(step)});
  }
  return best;
}

}  // namespace

double mean_square_error(const Groups& groups, const graph::Quantization& quantization) {
  const double scale = double{quantization.scale[0]};
  const double zero_point = quantization.zero_point[0];
  double sum = 0;
  double count = 0;
  for (const Statistics::Group& group : groups) {
    const double steps = std::clamp(std::round(group.value / scale) + zero_point, kLeast, kMost);
    const double error = (steps - zero_point) * scale - group.value;
    sum += error * error * static_cast<double>(group.count);
    count += static_cast<double>(group.count);
  }
  return count == 0 ? 0 : sum / count;
}

graph::Quantization int8_quantization(const Range& range, Symmetry symmetry) {
  constexpr double kLeastScale = 1e-30;  // products of three scales still fit in a double
  const double width = range.high - range.low;
  if (!(width > 0)) {
    return {{1.0F}, {0}, 0};
  }
  if (symmetry == Symmetry::kSymmetric) {
    const double most = std::max(-range.low, range.high);
    return {{static_cast<float>(std::max(most / kMost, kLeastScale))}, {0}, 0};
  }
  const auto scale = static_cast<float>(std::max(width / (kMost - kLeast), kLeastScale));
  const double zero_point = std::clamp(std::round(kLeast - range.low / double{scale}), kLeast, kMost);
  return {{scale}, {static_cast<std::int32_t>(zero_point)}, 0};
}

Range range_of(const graph::Quantization& quantization) {
  const double scale = double{quantization.scale[0]};
  return {scale * (kLeast - quantization.zero_point[0]), scale * (kMost - quantization.zero_point[0])};
}

Range hull(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Range choose_range(const Statistics& statistics, Calibration calibration, double percentile, Symmetry symmetry) {
  if (statistics.count() == 0) {
    return {};
  }
  switch (calibration) {
    case Calibration::kPercentile: return with_zero(percentiles(statistics, percentile));
    case Calibration::kMeanSquareError: return least_error(statistics, symmetry);
    default: return with_zero({statistics.min(), statistics.max()});
  }
}

}  // namespace systole::quantizer
