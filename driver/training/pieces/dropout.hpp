// SPDX-License-Identifier: Apache-2.0
// Dropout by a generator without state: whether an element is dropped is a function of the run's seed, the step, the
// layer and the element's position, so that a run that is repeated or resumed drops the same ones on any machine.
//
// The function is in driver/training/README.md, "Order and dropout". Each step of its mix() has an inverse, and its
// rounds mix without the usual exclusive or, which graphs do not have for integers. A micro-batch takes the positions
// from its first sample on, so that the same elements are dropped however the batch is cut.
#pragma once

#include <cstdint>

#include "graph_builder.hpp"

namespace systole::training {

using graph::GraphBuilder;
using graph::Shape;
using graph::TensorId;

/// Scalars of type uint32, inputs of the graph.
struct RandomInputs {
  TensorId seed = graph::kNoTensor, step = graph::kNoTensor;
  TensorId first_sample = graph::kNoTensor;  ///< its index in the batch; kNoTensor: 0
};

/// x, [N,...], with elements replaced by 0 at this rate, 0 <= rate < 1; the others are multiplied by 1 / (1 - rate).
/// `layer` is another number for each use in a graph.
TensorId dropout(GraphBuilder& w, TensorId x, double rate, std::uint32_t layer, const RandomInputs& random);

}  // namespace systole::training
