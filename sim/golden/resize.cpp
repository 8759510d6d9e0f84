// SPDX-License-Identifier: Apache-2.0
#include "resize.hpp"

#include <algorithm>
#include <cstdint>

namespace systole::golden {
namespace {

constexpr std::int64_t kOne = 1 << 10;

// The two rows or columns between which a position lies, and its distance from the first.
struct Between {
  std::int64_t lower, upper, behind;
};

class Axis {
 public:
  Axis(int input, int output, const Resize& resize) : input_(input), half_pixel_centers_(resize.half_pixel_centers) {
    step_ = resize.align_corners && output > 1 ? (kOne * (input - 1) + (output - 1) / 2) / (output - 1)
                                               : (kOne * input + output / 2) / output;
  }
  Between at(int position) const {
    const std::int64_t where = position * step_ + (half_pixel_centers_ ? step_ / 2 - kOne / 2 : 0);
    const std::int64_t lower = std::clamp<std::int64_t>(where / kOne, 0, input_ - 1);
    const std::int64_t upper = std::min<std::int64_t>((where + kOne - 1) / kOne, input_ - 1);
    return {lower, upper, where - lower * kOne};
  }

 private:
  std::int64_t input_, step_;
  bool half_pixel_centers_;
};

}  // namespace

Tensor8 resize_bilinear(const Tensor8& input, const Resize& resize) {
  const Axis rows(input.shape.height, resize.height, resize);
  const Axis columns(input.shape.width, resize.width, resize);
  Tensor8 out(NhwcShape{input.shape.batch, resize.height, resize.width, input.shape.channels});
  for (int n = 0; n < out.shape.batch; ++n) {
    for (int y = 0; y < out.shape.height; ++y) {
      const Between row = rows.at(y);
      for (int x = 0; x < out.shape.width; ++x) {
        const Between column = columns.at(x);
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
