// SPDX-License-Identifier: Apache-2.0
// Range, scale and zero point from the values of a tensor.
#pragma once

#include "systole/quantizer.hpp"
#include "tensor_statistics.hpp"

namespace systole::quantizer {

struct Range {
  double low = 0, high = 0;
};

/// Whether the zero point is 0.
enum class Symmetry { kNone, kSymmetric };

/// The range, which includes zero. `percentile` is p, above 50 and at most 100.
Range choose_range(const Statistics& statistics, Calibration calibration, double percentile,
                   Symmetry symmetry = Symmetry::kNone);

/// int8 over a range that includes zero: scale (high - low) / 255, and a rounded zero point, so that zero is
/// represented exactly (Jacob et al., Quantization and Training of Neural Networks for Efficient
/// Integer-Arithmetic-Only Inference, 2018, 3.); if symmetric, the scale is the larger of -low and high / 127. Scale 1
/// for an empty range; scales are at least 1e-30.
graph::Quantization int8_quantization(const Range& range, Symmetry symmetry = Symmetry::kNone);

/// The real numbers represented by the smallest and largest int8.
Range range_of(const graph::Quantization& quantization);

/// The smallest range that contains both.
Range hull(const Range& a, const Range& b);

/// Mean square quantization error.
double mean_square_error(const std::vector<Statistics::Group>& groups, const graph::Quantization& quantization);

}  // namespace systole::quantizer
