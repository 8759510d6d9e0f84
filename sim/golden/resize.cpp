// SPDX-License-Identifier: Apache-2.0
#include "resize.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace systole::golden {
namespace {

constexpr std::int64_t kOne = 1 << 10;

}  // namespace

std::vector<Between> places_between(int input, int output, const Resize& resize) {
  const std::int64_t step = resize.align_corners && output > 1 ? (kOne * (input - 1) + (output - 1) / 2) / (output - 1)
                                                               : (kOne * input + output / 2) / output;
  std::vector<Between> places;
  for (int position = 0; position < output; ++position) {
    const std::int64_t where = position * step + (resize.half_pixel_centers ? step / 2 - kOne / 2 : 0);
    const std::int64_t lower = std::clamp<std::int64_t>(where / kOne, 0, input - 1);
    const std::int64_t upper = std::min<std::int64_t>((where + kOne - 1) / kOne, input - 1);
    places.push_back({lower, upper, where - lower * kOne});
  }
  return places;
}

Tensor8 resize_bilinear(const Tensor8& input, const Resize& resize) {
  const std::vector<Between> rows = places_between(input.shape.height, resize.height, resize);
  const std::vector<Between> columns = places_between(input.shape.width, resize.width, resize);
  Tensor8 out(NhwcShape{input.shape.batch, resize.height, resize.width, input.shape.channels});
  for (int n = 0; n < out.shape.batch; ++n) {
    for (int y = 0; y < out.shape.height; ++y) {
      const Between& row = rows[static_cast<std::size_t>(y)];
      for (int x = 0; x < out.shape.width; ++x) {
        const Between& column = columns[static_cast<std::size_t>(x)];
        for (int c = 0; c < out.shape.channels; ++c) {
          const auto pixel = [&](std::int64_t in_y, std::int64_t in_x) {
            return std::int64_t{input.at(n, static_cast<int>(in_y), static_cast<int>(in_x), c)};
          };
          const std::int64_t sum = pixel(row.lower, column.lower) * (kOne - row.behind) * (kOne - column.behind) +
                                   pixel(row.lower, column.upper) * (kOne - row.behind) * column.behind +
                                   pixel(row.upper, column.lower) * row.behind * (kOne - column.behind) +
                                   pixel(row.upper, column.upper) * row.behind * column.behind;
          const std::int64_t half = kOne * kOne / 2;
          out.at(n, y, x, c) = static_cast<std::int8_t>((sum + (sum > 0 ? half : -half)) / (kOne * kOne));
        }
      }
    }
  }
  return out;
}

}  // namespace systole::golden
