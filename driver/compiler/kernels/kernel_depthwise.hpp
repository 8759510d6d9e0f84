// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions on the depthwise unit: every output channel reads one input channel, the one with its own
// number.
//
//   for each tile of output positions               (at most half of the accumulators)
//     for each block of DIM channels                  a unit: positions x DIM sums in one accumulator half
//       load its input and taps if they are not there yet, DEPTHWISE for each piece of the kernel, DRAIN, STORE
//
// A kernel of more than 3x3 taps is cut into pieces that the unit takes, which add to the same sums, as do the parts of
// weights of more than 8 bits. One position passes per cycle, and is loaded in one: loads, not the matrix unit, are the
// limit where the input comes from memory. A line takes three cycles at least: images of one column run as images of
// one line.
#pragma once

#include "activations.hpp"
#include "product.hpp"

namespace systole::compiler {

/// True when the depthwise unit can do it: one output channel per input channel, no dilation, strides within its range.
bool is_depthwise(const ConvGeometry& geometry, int groups, int out_channels);

/// Appends the convolution in the way that the cost model finds fastest. False, and nothing is appended, when no tile
/// fits the on-chip memories. `weights` of shape channels x kernel_h x kernel_w. The geometry is_depthwise().
bool emit_depthwise(Builder& builder, const ConvGeometry& geometry, const ConvWeights& weights, const Output& output,
                    const OutputStage& stage);

}  // namespace systole::compiler
