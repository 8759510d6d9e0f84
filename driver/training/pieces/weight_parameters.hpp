// SPDX-License-Identifier: Apache-2.0
// Finds the parameters of a network that are weights.
#pragma once

#include "trainable_network.hpp"

namespace systole::training {

/// Whether an operator of this kind multiplies by weights: a convolution, a dense layer or a matrix product.
bool is_product(const graph::OperatorKind& kind);

/// Sets Parameter::is_weight for those that a product or a convolution multiplies, as they are or transposed or
/// reshaped first.
void mark_weights(Network& network);

}  // namespace systole::training
