// SPDX-License-Identifier: Apache-2.0
// Chooses the tiling of a product: every candidate is built in a trial builder and timed by the cost model; the fastest
// is kept.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "product.hpp"

namespace systole::compiler {

/// A tiling of the positions: creates the activations for it.
struct Candidate {
  std::function<std::unique_ptr<Activations>()> activations;
  const Weights* weights = nullptr;
  int blocks = 1;
};

/// Appends the product with the tiling and tuning that the cost model finds fastest. `candidates` are in order of
/// preference. A product that goes on with `held` weights takes the first that fits. Throws DoesNotFit, with the last
/// candidate's reason, when none fits.
void emit_best_product(Builder& builder, const std::vector<Candidate>& candidates, const Output& output,
                       const OutputStage& stage, HeldWeights& held);

}  // namespace systole::compiler
