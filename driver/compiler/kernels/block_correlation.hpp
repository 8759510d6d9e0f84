// SPDX-License-Identifier: Apache-2.0
// Convolutions in block floating point with few results for each image and channel, but a large kernel that was
// computed: the gradients of weights. Their images are the channels of a layer's input, so that several of them are
// multiplied together, or a weight tile would serve a few positions only.
#pragma once

#include "activations.hpp"
#include "block_weights.hpp"

namespace systole::compiler {

/// Whether the kernel is larger than the result.
inline bool is_correlation(const ConvGeometry& g) { return g.kernel_h * g.kernel_w > g.out_height * g.out_width; }

/// Appends the convolution; its results are binary32, dense at `address`. Throws DoesNotFit where not even one image
/// with one line of the kernel does.
void correlate(Builder& builder, const ConvGeometry& geometry, const BlockView& images, const TiledBlockWeights& filter,
               int outputs, std::uint32_t address);

}  // namespace systole::compiler
