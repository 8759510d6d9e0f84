// SPDX-License-Identifier: Apache-2.0
#include "dropout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace systole::training {
namespace {

using graph::BinaryKind;
using graph::ElementType;

TensorId word(GraphBuilder& w, std::uint32_t value) {
  return w.constant(make_value(ElementType::kUint32, {}, std::vector<std::uint32_t>{value}));
}

constexpr std::uint32_t kFirst = 0x9e3779b9, kLast = 0x85ebca6b;
constexpr std::array<std::uint32_t, 4> kRounds = {0x7feb352d, 0x846ca68b, 0x9e3779b1, 0xc2b2ae35};
constexpr std::uint32_t kHalf = 16;

TensorId mix(GraphBuilder& w, TensorId x) {
  x = w.add(x, word(w, kFirst));
  for (const std::uint32_t factor : kRounds) {
    const TensorId odd = w.add(w.add(x, x), word(w, 1));
    x = w.multiply(w.multiply(x, odd), word(w, factor));
    x = w.add(w.binary(BinaryKind::kShiftRight, x, word(w, kHalf)),
              w.binary(BinaryKind::kShiftLeft, x, word(w, kHalf)));
  }
  return w.multiply(x, word(w, kLast));
}

/// The same of a number that is known.
std::uint32_t mix(std::uint32_t x) {
  x += kFirst;
  for (const std::uint32_t factor : kRounds) {
    x *= (2 * x + 1) * factor;
    x = x >> kHalf | x << kHalf;
  }
  return x * kLast;
}

/// mix(i) of the positions i of x in the batch.
TensorId places_of(GraphBuilder& w, const Shape& shape, TensorId first_sample) {
  std::vector<std::uint32_t> places(static_cast<std::size_t>(graph::count(shape)));
  std::iota(places.begin(), places.end(), 0);
  if (first_sample == graph::kNoTensor) {
    std::transform(places.begin(), places.end(), places.begin(), [](std::uint32_t i) { return mix(i); });
    return w.constant(make_value(ElementType::kUint32, shape, places));
  }
  const auto of_sample = static_cast<std::uint32_t>(graph::count(shape) / shape.at(0));
  const TensorId own = w.constant(make_value(ElementType::kUint32, shape, places));
  return mix(w, w.add(own, w.multiply(first_sample, word(w, of_sample))));
}

}  // namespace

TensorId dropout(GraphBuilder& w, TensorId x, double rate, std::uint32_t layer, const RandomInputs& random) {
  if (rate == 0) {
    return x;
  }
  const TensorId key = mix(w, w.add(mix(w, w.add(mix(w, random.seed), random.step)), word(w, layer)));
  const TensorId drawn = mix(w, w.add(places_of(w, w.shape(x), random.first_sample), key));
  const TensorId dropped = w.less(drawn, word(w, static_cast<std::uint32_t>(std::ldexp(rate, 32))));
  return w.select(dropped, w.scalar(x, 0), w.scaled(x, 1 / (1 - rate)));
}

}  // namespace systole::training
