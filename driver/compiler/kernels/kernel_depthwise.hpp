// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions on the depthwise unit: output channel i reads only input channel i.
//
//   for each tile of output positions               (at most half of the accumulators)
//     for each block of DIM channels                  a unit: positions x DIM sums in one accumulator half
//       load its input and taps if they are not there yet, DEPTHWISE for each piece of the kernel, DRAIN, STORE
//
// A kernel larger than 3x3 is divided into pieces that the unit can compute; they accumulate into the same sums, as do
// the parts of weights of more than 8 bits. The unit takes one position per cycle, and LOAD delivers one per cycle: if
// the input comes from device memory, LOAD is the bottleneck. A line takes at least three cycles, so images of one
// column run as images of one line.
#pragma once

#include "activations.hpp"
#include "product.hpp"

namespace systole::compiler {

/// True when the depthwise unit supports it: one output channel per input channel, no dilation, strides within its
/// range.
bool is_depthwise(const ConvGeometry& geometry, int groups, int out_channels);

/// Appends the convolution with the tiling that is fastest according to the cost model. Returns false and appends
/// nothing when no tile fits the on-chip memories. `weights` has the shape channels x kernel_h x kernel_w. Requires
/// is_depthwise() of the geometry.
bool emit_depthwise(Builder& builder, const ConvGeometry& geometry, const ConvWeights& weights, const Output& output,
                    const OutputStage& stage);

}  // namespace systole::compiler
