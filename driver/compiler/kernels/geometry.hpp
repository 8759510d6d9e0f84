// SPDX-License-Identifier: Apache-2.0
// Shape checks of window operators, with readable messages.
#pragma once

#include "activations.hpp"
#include "kernels.hpp"

namespace systole::compiler {

/// Geometry of `window` over `input`. Throws InvalidArgument, naming operator and value, when a field is out of
/// range, the kernel does not fit, or `output` has another size.
ConvGeometry make_geometry(const char* what, const TensorView& input, const Window& window, int zero_point,
                           const TensorView& output);

}  // namespace systole::compiler
