// SPDX-License-Identifier: Apache-2.0
// Pictures that a small network can learn: bright bars, one place and direction for each class, on noise.
#pragma once

#include <random>

#include "dataset.hpp"

namespace systole::training {

inline Dataset small_pictures(std::size_t count, std::uint64_t seed, std::int64_t side = 8) {
  constexpr std::uint64_t kClasses = 10, kHalf = 5, kNoise = 60, kWhite = 255;
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> pixels;
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t label = random() % kClasses;
    std::vector<std::uint8_t> picture(static_cast<std::size_t>(side * side));
    const std::uint64_t bar = label % kHalf * static_cast<std::uint64_t>(side - 1) / (kHalf - 1);
    for (std::size_t at = 0; at < picture.size(); ++at) {
      const std::uint64_t place =
          label < kHalf ? at / static_cast<std::size_t>(side) : at % static_cast<std::size_t>(side);
      picture[at] = static_cast<std::uint8_t>(place == bar ? kWhite - random() % kNoise : random() % kNoise);
    }
    pixels.insert(pixels.end(), picture.begin(), picture.end());
    labels.push_back(static_cast<std::int32_t>(label));
  }
  const auto samples = static_cast<std::int64_t>(count);
  Dataset data;
  data.inputs = {{make_value(graph::ElementType::kUint8, {samples, side, side}, pixels),
                  graph::ElementType::kFloat32,
                  {1, side, side}}};
  data.targets = make_value(graph::ElementType::kInt32, {samples}, labels);
  return data;
}

}  // namespace systole::training
