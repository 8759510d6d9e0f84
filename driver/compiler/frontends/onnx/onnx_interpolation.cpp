// SPDX-License-Identifier: Apache-2.0
#include "onnx_interpolation.hpp"

#include <algorithm>
#include <cmath>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

using Taps = std::vector<Tap>;

/// Gives all results equally many taps: the last one shares its weight with copies of it. A weight of 0 for a copy
/// would turn an infinite element into NaN.
void align(std::vector<Taps>& results) {
  std::size_t most = 0;
  for (const Taps& taps : results) {
    most = std::max(most, taps.size());
  }
  for (Taps& taps : results) {
    taps.back().weight /= static_cast<double>(most - taps.size() + 1);
    taps.resize(most, taps.back());
  }
}

bool same_weight(double a, double b) {
  constexpr double kRounding = 1e-11;  // of coordinates, which differ by whole numbers
  return std::abs(a - b) <= kRounding;
}

/// Whether results `period` apart have the same weights, for elements that are always the same distance apart.
bool repeats(const std::vector<Taps>& results, std::size_t period) {
  const std::int64_t step = results[period][0].place - results[0][0].place;
  for (std::size_t i = period; i < results.size(); ++i) {
    for (std::size_t k = 0; k < results[i].size(); ++k) {
      const Tap& tap = results[i][k];
      const Tap& before = results[i - period][k];
      if (tap.place - before.place != step || !same_weight(tap.weight, before.weight)) {
        return false;
      }
    }
  }
  return step != 0;
}

/// The smallest such period: the numerator of a scale such as 2 or 3/2. Without one, 1.
std::size_t period_of(const std::vector<Taps>& results) {
  constexpr std::size_t kMaxPeriod = 16;
  for (std::size_t period = 1; period <= kMaxPeriod && 2 * period <= results.size(); ++period) {
    if (results.size() % period == 0 && repeats(results, period)) {
      return period;
    }
  }
  return 1;
}

/// The taps of every `period`-th result from `first` on, term by term.
class Terms {
 public:
  Terms(Translation& t, TensorId id, std::size_t axis, std::int64_t before)
      : t_(t), id_(id), axis_(axis), before_(before) {}

  TensorId sum(const std::vector<Taps>& results, std::size_t first, std::size_t period) const {
    TensorId sum = kNoTensor;
    for (std::size_t k = 0; k < results[first].size(); ++k) {
      std::vector<std::int64_t> positions;
      std::vector<double> weights;
      for (std::size_t i = first; i < results.size(); i += period) {
        positions.push_back(results[i][k].place + before_);
        weights.push_back(results[i][k].weight);
      }
      const TensorId term = weighted(take_or_gather(t_, id_, axis_, positions), weights);
      sum = sum == kNoTensor ? term : t_.binary(BinaryKind::kAdd, sum, term);
    }
    return sum;
  }

 private:
  TensorId weighted(TensorId elements, const std::vector<double>& weights) const {
    const auto all_are = [&](double value) {
      return std::all_of(weights.begin(), weights.end(), [&](double weight) { return same_weight(weight, value); });
    };
    if (all_are(1)) {
      return elements;
    }
    Shape along(t_.shape(id_).size(), 1);
    along[axis_] = static_cast<std::int64_t>(weights.size());
    return t_.binary(
        BinaryKind::kMultiply, elements,
        all_are(weights[0]) ? t_.scalar(weights[0], id_) : t_.numbers(t_.tensor(id_).type, along, weights));
  }

  Translation& t_;
  TensorId id_;
  std::size_t axis_;
  std::int64_t before_;
};

/// The first elements of all parts, then the second ones, and so on.
TensorId interleaved(Translation& t, const std::vector<TensorId>& parts, std::size_t axis) {
  if (parts.size() == 1) {
    return parts[0];
  }
  Shape column = t.shape(parts[0]);
  Shape whole = column;
  column.insert(column.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
  whole[axis] *= static_cast<std::int64_t>(parts.size());
  std::vector<TensorId> columns;
  for (const TensorId part : parts) {
    columns.push_back(t.reshape(part, column));
  }
  return t.reshape(t.emit(Concat{static_cast<int>(axis) + 1}, columns, t.tensor(parts[0]).type), whole);
}

}  // namespace

TensorId interpolated(Translation& t, TensorId id, std::size_t axis, std::vector<Taps> results) {
  align(results);
  const std::int64_t last = t.shape(id)[axis] - 1;
  std::int64_t before = 0;
  std::int64_t after = 0;
  for (const Taps& taps : results) {
    for (const Tap& tap : taps) {
      before = std::max(before, -tap.place);
      after = std::max(after, tap.place - last);
    }
  }
  std::vector<std::int64_t> positions;
  for (std::int64_t at = -before; at <= last + after; ++at) {
    positions.push_back(std::clamp<std::int64_t>(at, 0, last));
  }
  const Terms terms(t, take_or_gather(t, id, axis, positions), axis, before);
  const std::size_t period = period_of(results);
  std::vector<TensorId> parts;
  for (std::size_t first = 0; first < period; ++first) {
    parts.push_back(terms.sum(results, first, period));
  }
  return interleaved(t, parts, axis);
}

}  // namespace systole::graph::onnx_file
