// SPDX-License-Identifier: Apache-2.0
// From the values of a tensor to its scale and zero point.
#pragma once

#include "systole/quantizer.hpp"
#include "tensor_statistics.hpp"

namespace systole::quantizer {

struct Range {
  double low = 0, high = 0;
};

/// The range, which holds zero. `percentile` is p, above 50 and at most 100.
Range choose_range(const Statistics& statistics, Calibration calibration, double percentile);

/// int8 over a range that holds zero: scale (high - low) / 255, and the zero point rounded, so that zero stands for
/// itself exactly (Jacob et al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
/// Inference, 2018, 3.). Scale 1 for an empty range; scales are at least 1e-30.
graph::Quantization int8_quantization(const Range& range);

/// The real numbers that the least and the greatest int8 stand for.
Range range_of(const graph::Quantization& quantization);

/// Both, and what lies between.
Range hull(const Range& a, const Range& b);

/// Mean square of the difference that quantization makes.
double mean_square_error(const std::vector<Statistics::Group>& groups, const graph::Quantization& quantization);

}  // namespace systole::quantizer
