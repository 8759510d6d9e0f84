// SPDX-License-Identifier: Apache-2.0
// Shapes of products: checks of window operators, with readable messages, and tilings.
#pragma once

#include <vector>

#include "activations.hpp"
#include "kernels.hpp"

namespace systole::compiler {

/// Geometry of `window` over `input`. Throws InvalidArgument, naming operator and value, when a field is out of
/// range, the kernel does not fit, or `output` has another size.
ConvGeometry make_geometry(const char* what, const TensorView& input, const Window& window, int zero_point,
                           const TensorView& output);

/// Tilings to try: as many whole output rows as fit half of the accumulators, a quarter, ...; if a row is too long, or
/// its input too large, parts of a row.
std::vector<Cut> cuts(const ConvGeometry& geometry, const Configuration& configuration);

/// Tile heights to try: equal shares of at most half of the accumulators, a quarter, ...
std::vector<int> tile_heights(int rows, const Configuration& configuration);

}  // namespace systole::compiler
