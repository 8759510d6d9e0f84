// SPDX-License-Identifier: Apache-2.0
#include "softmax_range.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace systole::quantizer {
namespace {

constexpr int kLeast = -128, kMost = 127;

/// How many rows are kept: fewer of long ones.
std::size_t most_rows(std::size_t length) {
  constexpr std::size_t kValues = 1 << 16, kLeastRows = 16;
  return std::max(kLeastRows, kValues / length);
}

/// A row and its softmax; the row's finite values and its maximum are known.
struct Expected {
  const std::vector<float>* row = nullptr;
  std::vector<double> softmax;
};

std::vector<Expected> expected_of(const SoftmaxRows& rows) {
  std::vector<Expected> result;
  for (const std::vector<float>& row : rows.rows()) {
    const float most = *std::max_element(row.begin(), row.end());
    if (!std::isfinite(most) || std::any_of(row.begin(), row.end(), [](float x) { return std::isnan(x); })) {
      continue;
    }
    Expected expected{&row, std::vector<double>(row.size())};
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      sum += expected.softmax[i] = std::exp((double{row[i]} - double{most}) * double{rows.beta()});
    }
    for (double& value : expected.softmax) {
      value /= sum;
    }
    result.push_back(std::move(expected));
  }
  return result;
}

double error_of(const std::vector<Expected>& all, float beta, const graph::Quantization& quantization) {
  const double scale = double{quantization.scale[0]};
  const double zero_point = quantization.zero_point[0];
  std::array<double, kMost - kLeast + 1> exponentials{};
  for (std::size_t steps = 0; steps < exponentials.size(); ++steps) {
    exponentials[steps] = std::exp(-scale * double{beta} * static_cast<double>(steps));
  }
  double error = 0;
  double count = 0;
  std::vector<int> codes;
  for (const Expected& expected : all) {
    codes.clear();
    for (const float value : *expected.row) {
      codes.push_back(
          static_cast<int>(std::clamp(std::round(double{value} / scale) + zero_point, double{kLeast}, double{kMost})));
    }
    const int most = *std::max_element(codes.begin(), codes.end());
    const auto exponential = [&](int code) { return exponentials[static_cast<std::size_t>(most - code)]; };
    double sum = 0;
    for (const int code : codes) {
      sum += exponential(code);
    }
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const double difference = exponential(codes[i]) / sum - expected.softmax[i];
      error += difference * difference;
    }
    count += static_cast<double>(codes.size());
  }
  return count == 0 ? 0 : error / count;
}

}  // namespace

SoftmaxRows::SoftmaxRows(std::size_t length, float beta) : length_(length), beta_(beta) {}

void SoftmaxRows::take(const std::vector<float>& row) {
  if (seen_++ % stride_ != 0) {
    return;
  }
  rows_.push_back(row);
  if (rows_.size() <= most_rows(length_)) {
    return;
  }
  // From now on keeps every second row, and drops every second of the stored ones.
  for (std::size_t i = 1; 2 * i < rows_.size(); ++i) {
    rows_[i] = std::move(rows_[2 * i]);
  }
  rows_.resize((rows_.size() + 1) / 2);
  stride_ *= 2;
}

void SoftmaxRows::add(const std::vector<float>& values) {
  for (auto row = values.begin(); row < values.end(); row += static_cast<std::ptrdiff_t>(length_)) {
    take(std::vector<float>(row, row + static_cast<std::ptrdiff_t>(length_)));
  }
}

void SoftmaxRows::add(const SoftmaxRows& other) {
  for (const std::vector<float>& row : other.rows_) {
    take(row);
  }
}

double softmax_error(const SoftmaxRows& rows, const graph::Quantization& quantization) {
  return error_of(expected_of(rows), rows.beta(), quantization);
}

std::optional<Range> softmax_range(const SoftmaxRows& rows) {
  // Beyond this distance from the largest value no 8-bit scale distinguishes values near it.
  constexpr double kFarthest = 1e5;
  constexpr double kNearest = 0.25;
  constexpr double kGrowth = 1.1;
  constexpr int kSteps = 32;
  const std::vector<Expected> all = expected_of(rows);
  if (all.empty()) {
    return std::nullopt;
  }
  Range full;
  bool infinite = false;
  for (const Expected& expected : all) {
    for (const float value : *expected.row) {
      infinite = infinite || !std::isfinite(value);
      full.low = std::isfinite(value) ? std::min(full.low, double{value}) : full.low;
      full.high = std::max(full.high, double{value});
    }
  }
  Range best = full;
  double least = error_of(all, rows.beta(), int8_quantization(full));
  const auto attempt = [&](const Range& range) {
    const double error = error_of(all, rows.beta(), int8_quantization(range));
    if (error < least) {
      least = error;
      best = range;
    }
  };
  const double unit = 1 / std::max(1e-30, std::abs(double{rows.beta()}));
  // Minus infinity may need a larger range than the finite values.
  const double farthest = infinite ? kFarthest * unit : std::min(kFarthest * unit, full.high - full.low);
  for (double distance = kNearest * unit; distance < farthest; distance *= kGrowth) {
    attempt({std::min(0.0, full.high - distance), full.high});
  }
  const double high = best.high;
  for (int step = kSteps - 1; step > 0; --step) {
    attempt({best.low, high * step / kSteps});
  }
  return best;
}

}  // namespace systole::quantizer
