// SPDX-License-Identifier: Apache-2.0
// The error of a layer against float.
#pragma once

#include <cstddef>

#include "systole/quantizer.hpp"

namespace systole::quantizer {

/// Sums for one layer over the samples; the means are computed at the end.
struct Sums {
  std::size_t compared = 0, masked = 0;
  double low = 0, high = 0, signal = 0, noise = 0, largest_error = 0;

  void add(double wanted, double got);
  void add(const Sums& other);
  /// Sets what was measured, if anything was.
  void report(LayerReport& layer) const;
};

}  // namespace systole::quantizer
