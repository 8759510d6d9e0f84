// SPDX-License-Identifier: Apache-2.0
// Element types with a scale: their ranges, and the rules of quantizations.
#pragma once

#include <cstdint>

#include "systole/graph.hpp"

namespace systole::graph {

/// int8 and uint8.
bool is_byte(ElementType type);

/// int16 with a quantization.
bool is_scaled_int16(const Tensor& tensor);

/// Whether elements of the type are steps of a real scale when the tensor has a quantization: int8, uint8, int16,
/// uint16.
bool is_quantizable(ElementType type);

/// The range of zero points of an integer type. Throws GraphError for other types.
struct IntegerRange {
  std::int64_t min, max;
};
IntegerRange integer_range(ElementType type);

/// Equal zero points, and scales that differ at most in their last digits: elements may be copied from one to the
/// other.
bool same_quantization(const Tensor& a, const Tensor& b);

/// Whether a 16-bit result of a softmax may have the scale: TensorFlow Lite's kernel accepts what is within 0.1 % of
/// the fraction that it computes in.
bool is_near_fraction(float scale, float fraction);

/// Throws GraphError, naming tensor and value, unless scales and zero points satisfy the rules of Quantization and fit
/// the tensor.
void check_quantization(const Tensor& tensor);

}  // namespace systole::graph
