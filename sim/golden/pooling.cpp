// SPDX-License-Identifier: Apache-2.0
#include "golden/pooling.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace systole::golden {
namespace {

// The elements of one window that lie inside the image, one channel.
std::vector<std::int8_t> gather(const Tensor8& input, const Window& window, int n, int y, int x, int c) {
  std::vector<std::int8_t> elements;
  for (int ky = 0; ky < window.kernel_height; ++ky) {
    for (int kx = 0; kx < window.kernel_width; ++kx) {
      const int in_y = input_y(window, y, ky);
      const int in_x = input_x(window, x, kx);
      if (is_inside(input.shape, in_y, in_x)) {
        elements.push_back(input.at(n, in_y, in_x, c));
      }
    }
  }
  if (elements.empty()) {
    throw std::invalid_argument(fmt::format("the pooling window at row {}, column {} holds padding only", y, x));
  }
  return elements;
}

template <class Reduce>
Tensor8 pool(const Tensor8& input, const Window& window, const Clamp& clamp, Reduce reduce) {
  Tensor8 out(output_shape(input.shape, window, input.shape.channels));
  for (int n = 0; n < out.shape.batch; ++n) {
    for (int y = 0; y < out.shape.height; ++y) {
      for (int x = 0; x < out.shape.width; ++x) {
        for (int c = 0; c < out.shape.channels; ++c) {
          const int value = reduce(gather(input, window, n, y, x, c));
          out.at(n, y, x, c) = static_cast<std::int8_t>(std::clamp<int>(value, clamp.min, clamp.max));
        }
      }
    }
  }
  return out;
}

int divide_half_away(int sum, int count) { return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count; }
int divide_half_up(int sum, int count) { return (sum + 128 * count + count / 2) / count - 128; }

}  // namespace

Tensor8 max_pool(const Tensor8& input, const Window& window, const Clamp& clamp) {
  return pool(input, window, clamp, [](const std::vector<std::int8_t>& elements) -> int {
    return *std::max_element(elements.begin(), elements.end());
  });
}

Tensor8 average_pool(const Tensor8& input, const Window& window, const Clamp& clamp, PaddingCount counting,
                     std::int32_t zero_point, Ties ties) {
  const int kernel_size = window.kernel_height * window.kernel_width;
  return pool(input, window, clamp, [=](const std::vector<std::int8_t>& elements) {
    int count = static_cast<int>(elements.size());
    int sum = 0;
    for (const int element : elements) {
      sum += element;
    }
    if (counting == PaddingCount::kInclude) {
      sum += zero_point * (kernel_size - count);
      count = kernel_size;
    }
    return ties == Ties::kUp ? divide_half_up(sum, count) : divide_half_away(sum, count);
  });
}

}  // namespace systole::golden
