// SPDX-License-Identifier: Apache-2.0
// What the parts of a product share when its positions are computed one part after another.
#pragma once

#include <optional>

#include "product.hpp"
#include "weights.hpp"

namespace systole::compiler {

/// Empty before the first part. All parts belong to the same operands, and to one builder.
struct ProductState {
  std::optional<OutputStage> stage;     ///< with constants in device memory
  std::optional<TiledWeights> weights;  ///< constant ones
  HeldWeights held;
};

}  // namespace systole::compiler
