// SPDX-License-Identifier: Apache-2.0
#include "exact_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "systole/errors.hpp"

namespace systole::network {
namespace {

constexpr int kCandidates = 4096;
constexpr int kBytes = 256;

/// A factor near 1 for candidate `number`; the first is 1. A golden-ratio sequence spreads the candidates over eight
/// interval widths in turn.
double nudge(int number, double ratio) {
  const double width = 1.5e-7 * (1 + number % 8);
  const double place = number * ratio;
  return number == 0 ? 1 : 1 + width * (2 * (place - std::floor(place)) - 1);
}

constexpr double kFirstRatio = 0.6180339887498949;   // of the golden section
constexpr double kSecondRatio = 0.7548776662466927;  // the generalization to two dimensions

/// The range of the wanted results.
golden::Clamp range_of(const PairResults& wanted) {
  if (wanted.size() != std::size_t{kBytes} * kBytes) {
    throw InvalidArgument("expected 65536 results, one for each pair of bytes");
  }
  const auto [least, most] = std::minmax_element(wanted.begin(), wanted.end());
  return {*least, *most};
}

/// ADD, on indices 0 .. 255 of the bytes.
class Adder {
 public:
  explicit Adder(const AddParams& params)
      : params_(params),
        left_(rescaled(params.lhs_zero_point, params.lhs_scale, params.rounding)),
        right_(rescaled(params.rhs_zero_point, params.rhs_scale, params.rounding)) {}

  std::int8_t operator()(int a, int b) const {
    const std::int32_t sum = left_[static_cast<std::size_t>(a)] + right_[static_cast<std::size_t>(b)];
    return requantize(sum, params_.output_scale, params_.output_zero_point, params_.clamp_min, params_.clamp_max,
                      params_.rounding);
  }

 private:
  using Scaled = std::array<std::int32_t, kBytes>;

  /// The operand minus its zero point, scaled as on the device, by index of the byte.
  static Scaled rescaled(int zero_point, const QuantParam& scale, Rounding rounding) {
    Scaled values{};
    for (int i = 0; i < kBytes; ++i) {
      const std::int32_t raised = (i - 128 - zero_point) * (1 << golden::kAddLeftShift);
      values[static_cast<std::size_t>(i)] =
          saturate_to_int32(multiply_by_quantized_multiplier(raised, scale, rounding));
    }
    return values;
  }

  const AddParams params_;
  const Scaled left_, right_;
};

/// Whether `result(lhs, rhs)`, of indices 0 .. 255, is right for all pairs. Pairs that a candidate got wrong are tested
/// first for the following ones.
template <class Result>
bool right_for_all(const PairResults& wanted, std::vector<int>& hard, const Result& result) {
  const auto right = [&](int pair) {
    return result(pair / kBytes, pair % kBytes) == wanted[static_cast<std::size_t>(pair)];
  };
  for (const int pair : hard) {
    if (!right(pair)) {
      return false;
    }
  }
  for (int pair = 0; pair < kBytes * kBytes; ++pair) {
    if (!right(pair)) {
      hard.push_back(pair);
      return false;
    }
  }
  return true;
}

}  // namespace

bool adds(const AddParams& params, const PairResults& wanted) {
  if (params.lhs_scale.shift > 0 || params.rhs_scale.shift > 0) {
    return false;
  }
  std::vector<int> hard;
  return right_for_all(wanted, hard, Adder(params));
}

std::optional<AddParams> find_addition(const PairResults& wanted, const PairQuantization& q) {
  const golden::Clamp clamp = range_of(wanted);
  const QuantParam output = golden::add_params(q.lhs, q.rhs, q.output).output_scale;
  const double common = 2.0 * double{std::max(q.lhs.scale, q.rhs.scale)};
  std::vector<int> hard;
  for (int i = 0; i < kCandidates; ++i) {
    const QuantParam lhs = quantize_multiplier(double{q.lhs.scale} / common * nudge(i, kFirstRatio));
    const QuantParam rhs = quantize_multiplier(double{q.rhs.scale} / common * nudge(i, kSecondRatio));
    if (lhs.shift > 0 || rhs.shift > 0) {
      continue;
    }
    const AddParams params{q.lhs.zero_point, q.rhs.zero_point, q.output.zero_point, lhs, rhs, output,
                           clamp.min,        clamp.max,        Rounding::kEven};
    if (right_for_all(wanted, hard, Adder(params))) {
      return params;
    }
  }
  return std::nullopt;
}

std::optional<MultiplyParams> find_multiplication(const PairResults& wanted, const PairQuantization& q) {
  const golden::Clamp clamp = range_of(wanted);
  const double scale = double{q.lhs.scale} * double{q.rhs.scale} / double{q.output.scale};
  std::vector<int> hard;
  for (int i = 0; i < kCandidates; ++i) {
    const QuantParam candidate = quantize_multiplier(scale * nudge(i, kFirstRatio));
    const auto result = [&](int a, int b) {
      return requantize((a - 128 - q.lhs.zero_point) * (b - 128 - q.rhs.zero_point), candidate, q.output.zero_point,
                        clamp.min, clamp.max, Rounding::kEven);
    };
    if (right_for_all(wanted, hard, result)) {
      return MultiplyParams{q.lhs.zero_point, q.rhs.zero_point, q.output.zero_point, candidate,
                            clamp.min,        clamp.max,        Rounding::kEven};
    }
  }
  return std::nullopt;
}

}  // namespace systole::network
