// SPDX-License-Identifier: Apache-2.0
// Operators on float32 as steps of kernels, by the rules of sim/golden/binary32.hpp.
#pragma once

#include "kernel_steps.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// The steps of an operator whose first input is of float32. All throw Refused.
Term float_elements(KernelSteps& steps);  ///< element-wise, by its formula
Term float_reduction(KernelSteps& steps, const graph::Reduce& op);
Term float_softmax(KernelSteps& steps, const graph::Softmax& op);
Term float_layer_norm(KernelSteps& steps, const graph::LayerNormalize& op);
Term float_pool(KernelSteps& steps, const graph::Pool& op, bool plain);
Term float_product(KernelSteps& steps, const graph::MatMul& op);
Term float_product(KernelSteps& steps, const graph::Dense& op);
Term float_product(KernelSteps& steps, const graph::Conv2d& op);

/// The windows of an image, for each position of the result all taps one after another, each with all channels. Taps
/// outside the image have the value `outside`.
Term float_windows(KernelSteps& steps, const Window& window, float outside);

}  // namespace systole::network
