// SPDX-License-Identifier: Apache-2.0
#include "layer_norm32.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "binary32.hpp"

namespace systole::golden {
namespace {

namespace b32 = binary32;

constexpr std::uint32_t kMagnitude = 0x7fffffff;
constexpr int kFraction = 23;

float number(std::uint32_t word) { return std::bit_cast<float>(word); }
float power(int field) { return number(static_cast<std::uint32_t>(field) << kFraction); }
std::uint32_t magnitude(float x) { return std::bit_cast<std::uint32_t>(x) & kMagnitude; }

/// Factors to integers of so many bits, and back.
struct Scale {
  float up, down;
};

Scale scale_of(std::uint32_t peak, int bits) {
  constexpr int kMost = 253;
  const int field = std::min(kMost + bits - static_cast<int>(peak >> kFraction), kMost);
  return {power(field), power(kMost + 1 - field)};
}

/// Of integers, modulo 2^32, which matters only where the result is a NaN.
class Sum {
 public:
  void add(std::int32_t value) { sum_ += static_cast<std::uint32_t>(value); }
  float result() const { return static_cast<float>(static_cast<std::int32_t>(sum_)); }

 private:
  std::uint32_t sum_ = 0;
};

/// 0, or a NaN if the greatest magnitude is not finite.
float doubt(std::uint32_t peak) { return b32::subtract(number(peak), number(peak)); }

float inverse_root(float value) {
  constexpr std::uint32_t kFirstEstimate = 0x5f3759df;
  constexpr int kSteps = 3;
  const float half = b32::multiply(value, 0.5F);
  float root = number(kFirstEstimate - (std::bit_cast<std::uint32_t>(value) >> 1));
  for (int step = 0; step < kSteps; ++step) {
    root = b32::multiply(root, b32::subtract(1.5F, b32::multiply(b32::multiply(root, root), half)));
  }
  return root;
}

float mean_of(const float* x, std::size_t count, int bits, float inverse_count) {
  std::uint32_t peak = 0;
  std::for_each(x, x + count, [&](float value) { peak = std::max(peak, magnitude(value)); });
  const Scale scale = scale_of(peak, bits);
  Sum sum;
  std::for_each(x, x + count, [&](float value) { sum.add(b32::to_int(b32::multiply(value, scale.up))); });
  const float mean = b32::multiply(b32::multiply(sum.result(), scale.down), inverse_count);
  return b32::add(mean, doubt(peak));
}

float variance_of(const float* x, std::size_t count, int bits, float inverse_count, float mean) {
  std::uint32_t peak = 0;
  std::for_each(x, x + count, [&](float value) { peak = std::max(peak, magnitude(b32::subtract(value, mean))); });
  const Scale scale = scale_of(peak, bits / 2);
  const float fine = power(127 + bits), coarse = power(127 - bits);
  Sum sum, rest;
  std::for_each(x, x + count, [&](float value) {
    const float difference = b32::multiply(b32::subtract(value, mean), scale.up);
    const float square = b32::multiply(difference, difference);
    const std::int32_t whole = b32::to_int(square);
    sum.add(whole);
    rest.add(b32::to_int(b32::multiply(b32::subtract(square, static_cast<float>(whole)), fine)));
  });
  const float squares = b32::add(sum.result(), b32::multiply(rest.result(), coarse));
  const float variance = b32::multiply(b32::multiply(squares, scale.down), scale.down);
  return b32::add(b32::multiply(variance, inverse_count), doubt(peak));
}

}  // namespace

int layer_norm32_bits(std::size_t count) {
  constexpr int kMost = 30;
  return kMost - static_cast<int>(std::bit_width(count - 1));
}

void layer_norm32(const float* x, float* to, std::size_t count, const float* gamma, const float* beta, float epsilon) {
  const int bits = layer_norm32_bits(count);
  const float inverse_count = 1.0F / static_cast<float>(count);
  const float mean = mean_of(x, count, bits, inverse_count);
  const float root = inverse_root(b32::add(variance_of(x, count, bits, inverse_count, mean), epsilon));
  for (std::size_t i = 0; i < count; ++i) {
    const float normal = b32::multiply(b32::subtract(x[i], mean), root);
    to[i] = b32::add(b32::multiply(normal, gamma[i]), beta[i]);
  }
}

}  // namespace systole::golden
