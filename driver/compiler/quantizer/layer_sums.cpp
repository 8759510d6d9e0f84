// SPDX-License-Identifier: Apache-2.0
#include "layer_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole::quantizer {

double LayerReport::signal_to_noise() const {
  constexpr double kDecibel = 10;
  return noise == 0 ? std::numeric_limits<double>::infinity() : kDecibel * std::log10(signal / noise);
}

void Sums::add(double wanted, double got) {
  const double error = got - wanted;
  low = compared == 0 ? wanted : std::min(low, wanted);
  high = compared == 0 ? wanted : std::max(high, wanted);
  signal += wanted * wanted;
  noise += error * error;
  largest_error = std::max(largest_error, std::abs(error));
  ++compared;
}

void Sums::add(const Sums& other) {
  if (other.compared != 0) {
    low = compared == 0 ? other.low : std::min(low, other.low);
    high = compared == 0 ? other.high : std::max(high, other.high);
  }
  signal += other.signal;
  noise += other.noise;
  largest_error = std::max(largest_error, other.largest_error);
  compared += other.compared;
  masked += other.masked;
}

void Sums::report(LayerReport& layer) const {
  layer.low = low;
  layer.high = high;
  layer.largest_error = largest_error;
  if (compared + masked != 0) {
    layer.compared = true;
    const auto count = static_cast<double>(std::max<std::size_t>(1, compared));
    layer.signal = signal / count;
    layer.noise = noise / count;
    layer.masked = static_cast<double>(masked) / static_cast<double>(compared + masked);
  }
}

}  // namespace systole::quantizer
