// SPDX-License-Identifier: Apache-2.0
// Products of integers with zero points that may be computed at run time.
#pragma once

#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {

/// An operand of a product. Its zero point is part of the tensor, or it is an int32 tensor that broadcasts against the
/// sums.
struct IntegerOperand {
  TensorId values = kNoTensor, zero_point = kNoTensor;
};

/// The node's inputs `values` and `zero_point`, which may be absent: one value, or one for each row.
IntegerOperand rows_operand(Translation& t, std::size_t values, std::size_t zero_point);
/// The node's inputs `values` and `zero_point`, which may be absent: one value, or one for each column.
IntegerOperand columns_operand(Translation& t, std::size_t values, std::size_t zero_point);

/// The matrix product without zero points, as int32.
TensorId integer_product(Translation& t, IntegerOperand a, IntegerOperand b);

/// Sums in steps of two scales as real numbers, plus the node's input `bias` unless that is absent.
TensorId sums_as_real(Translation& t, TensorId sums, TensorId scale_a, TensorId scale_b, std::size_t bias);

/// Real numbers as bytes, with a scale and a zero point (float32) that are computed from their range.
struct DynamicallyQuantized {
  TensorId values = kNoTensor, scale = kNoTensor, zero_point = kNoTensor;
  IntegerOperand operand(Translation& t) const;
};
DynamicallyQuantized dynamically_quantized(Translation& t, TensorId x);

}  // namespace systole::graph::onnx_file
