// SPDX-License-Identifier: Apache-2.0
// Functions of rows, the channels of a position, as formulas: softmax, normalizations, reductions.
#pragma once

#include <cstdint>

#include "kernels.hpp"
#include "systole/graph.hpp"

namespace systole::network {

// Of binary32, by the rules of sim/golden/binary32_rows.hpp.

enum class Summands {
  kNone,
  kRows,     ///< b, whose rows may be one that is repeated
  kRowsLast  ///< and of the last element of each row c, the first lane of its rows
};
/// The softmax of a and what is added to it; c times `factor` first.
compiler::KernelCall softmax_rows(std::int64_t elements, Summands summands, float factor = 1);

/// The mean of each row of a, or of a * b, whose rows may be one that is repeated.
compiler::KernelCall mean_rows(std::int64_t elements, bool has_factor);

/// a * near_reciprocal_root(mean of a^2 + epsilon) * b; b is one row.
compiler::KernelCall normalize_rows(std::int64_t elements, float epsilon);

/// a * b.
compiler::KernelCall product_of_rows(std::int64_t elements);

/// a times b, the first lane of its rows.
compiler::KernelCall rows_by_numbers(std::int64_t elements);

/// The near_reciprocal_root(mean of a^2 + epsilon) of each row.
compiler::KernelCall root_rows(std::int64_t elements, float epsilon);

/// The greatest magnitude of each row of a, or `least` if that is more, times `factor`: the size of a step of int8.
compiler::KernelCall step_rows(std::int64_t elements, float least, float factor);

/// a in such steps, rounded to int8, which must have room for them.
compiler::KernelCall int8_rows(std::int64_t elements, float least, float factor);

// Of binary32, by rules of their own.

/// exp(a - the greatest) / their sum, by binary32::strict_softmax_of_row().
compiler::KernelCall strict_softmax_rows(std::int64_t elements);

/// (a - mean) / sqrt(variance + epsilon) * gamma + beta, by sim/golden/layer_norm32.hpp; gamma and beta are the words
/// of the channels. `bits` is layer_norm32_bits().
compiler::KernelCall layer_norm32_rows(std::int64_t elements, int bits, float epsilon);

// Of quantized elements, equal to TensorFlow Lite's reference kernels. Multipliers are those of scales.

/// Softmax of int8, with a result of int8 or int16. Table: word d modulo 256 is exp(d * scale * beta) * 2^31 for
/// d = a - the greatest, 0 where the framework adds nothing. Of at most 8191 elements.
compiler::KernelCall softmax_bytes(std::int64_t elements, kernel::Format result);

/// Its logarithm; `to_fixed` leads from a difference to 26 fraction bits, `from_fixed` back, differences up to `least`
/// become -128. Table: exp(d * scale) * 2^19.
compiler::KernelCall log_softmax_bytes(std::int64_t elements, const QuantParam& to_fixed, const QuantParam& from_fixed,
                                       int least);

/// a / sqrt(sum of a^2), in steps of 2^-7.
compiler::KernelCall l2_normalize_bytes(std::int64_t elements, int zero_point);

/// Layer normalization of int8, with the rule and the parameters of sim/golden/layer_norm.hpp; gamma and beta are the
/// words of the channels. `exact_variance` of at most 362 elements.
compiler::KernelCall layer_norm_bytes(std::int64_t elements, bool exact_variance, float epsilon);

/// exp(a - the greatest) of int16, with scale 2^-15; `to_steps` leads from a difference to steps of 10 / 65535. Table:
/// two steps of 128 from each point: bits 14:0 the function at the first of them, 25:15 the difference to the second,
/// 31:26 what is added to that to give the difference to the third.
compiler::KernelCall exponentials16(std::int64_t elements, const QuantParam& to_steps);
/// Exponentials of int16 over their sum. Table: as above, of 1 / (1 + x) for x from 0 to 1.
compiler::KernelCall shares16(std::int64_t elements);

/// The greatest, the least or the sum of the channels of each position, as byte_fold() and wide_fold() have them.
compiler::KernelCall byte_channels(std::int64_t elements, graph::ReduceKind kind, int shift);
compiler::KernelCall wide_channels(std::int64_t elements, graph::ReduceKind kind, int left, int right);

}  // namespace systole::network
