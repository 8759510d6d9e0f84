// SPDX-License-Identifier: Apache-2.0
#include "pooling.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

// The elements of one window and channel that lie inside the image.
template <class Element>
void gather(const Tensor<Element>& input, const Window& window, int n, int y, int x, int c,
            std::vector<Element>& elements) {
  elements.clear();
  for (int ky = 0; ky < window.kernel_h; ++ky) {
    for (int kx = 0; kx < window.kernel_w; ++kx) {
      const int in_y = input_y(window, y, ky);
      const int in_x = input_x(window, x, kx);
      if (is_inside(input.shape, in_y, in_x)) {
        elements.push_back(input.at(n, in_y, in_x, c));
      }
    }
  }
  if (elements.empty()) {
    throw InvalidArgument(fmt::format("the pooling window at row {}, column {} holds padding only", y, x));
  }
}

template <class Element, class Range, class Reduce>
Tensor<Element> pool(const Tensor<Element>& input, const Window& window, const Range& clamp, Reduce reduce) {
  Tensor<Element> out(output_shape(input.shape, window, input.shape.channels));
  std::vector<Element> elements;
  for (int n = 0; n < out.shape.batch; ++n) {
    for (int y = 0; y < out.shape.height; ++y) {
      for (int x = 0; x < out.shape.width; ++x) {
        for (int c = 0; c < out.shape.channels; ++c) {
          gather(input, window, n, y, x, c, elements);
          out.at(n, y, x, c) = static_cast<Element>(std::clamp<int>(reduce(elements), clamp.min, clamp.max));
        }
      }
    }
  }
  return out;
}

template <class Element>
int maximum(const std::vector<Element>& elements) {
  return *std::max_element(elements.begin(), elements.end());
}

template <class Element>
int sum_of(const std::vector<Element>& elements) {
  int sum = 0;
  for (const Element element : elements) {
    sum += element;
  }
  return sum;
}

int divide_half_away(int sum, int count) { return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count; }
int divide_half_up(int sum, int count) { return (sum + 128 * count + count / 2) / count - 128; }

}  // namespace

Tensor8 max_pool(const Tensor8& input, const Window& window, const Clamp& clamp) {
  return pool(input, window, clamp, maximum<std::int8_t>);
}
Tensor16 max_pool16(const Tensor16& input, const Window& window, const Clamp16& clamp) {
  return pool(input, window, clamp, maximum<std::int16_t>);
}

Tensor8 average_pool(const Tensor8& input, const Window& window, const Clamp& clamp, PaddingCount counting,
                     std::int32_t zero_point, Ties ties) {
  const int kernel_size = window.kernel_h * window.kernel_w;
  return pool(input, window, clamp, [=](const std::vector<std::int8_t>& elements) {
    int count = static_cast<int>(elements.size());
    int sum = sum_of(elements);
    if (counting == PaddingCount::kInclude) {
      sum += zero_point * (kernel_size - count);
      count = kernel_size;
    }
    return ties == Ties::kUp ? divide_half_up(sum, count) : divide_half_away(sum, count);
  });
}

Tensor16 average_pool16(const Tensor16& input, const Window& window, const Clamp16& clamp) {
  constexpr int kMostElements = 1 << 15;  // their sum fits in 32 bits, as in the kernels
  if (window.kernel_h > kMostElements || window.kernel_w > kMostElements / window.kernel_h) {
    throw InvalidArgument(fmt::format("an average over {}x{} elements of 16 bits; at most {}", window.kernel_h,
                                      window.kernel_w, kMostElements));
  }
  return pool(input, window, clamp, [](const std::vector<std::int16_t>& elements) {
    return divide_half_away(sum_of(elements), static_cast<int>(elements.size()));
  });
}

}  // namespace systole::golden
