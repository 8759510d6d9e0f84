// SPDX-License-Identifier: Apache-2.0
// Random operands: the same on every machine for the same seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "systole/operators.hpp"

namespace systole::cli {

class RandomData {
 public:
  explicit RandomData(std::uint64_t seed) : engine_(seed) {}

  int range(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

  std::vector<std::int8_t> bytes(std::size_t count) {
    std::vector<std::int8_t> values(count);
    for (auto& value : values) {
      value = static_cast<std::int8_t>(range(-128, 127));
    }
    return values;
  }

  std::vector<std::int32_t> words(std::size_t count, int magnitude) {
    std::vector<std::int32_t> values(count);
    for (auto& value : values) {
      value = range(-magnitude, magnitude);
    }
    return values;
  }

  /// Per-channel scales that spread sums of `depth` products over most of the int8 range, and a zero point.
  Requantize requantize(int depth, int channels) {
    const double typical = 60.0 / (5461.0 * std::sqrt(static_cast<double>(depth)));  // 5461: standard deviation of a
                                                                                     // product
    Requantize result;
    result.scale.clear();
    for (int i = 0; i < channels; ++i) {
      result.scale.push_back(quantize_multiplier(typical * (0.5 + range(0, 1000) / 1000.0)));
    }
    result.zero_point = range(-20, 20);
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace systole::cli
