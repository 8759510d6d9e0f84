// SPDX-License-Identifier: Apache-2.0
// Whether a network of one sample, written with a first axis of any size, computes each sample of a batch by itself.
#pragma once

#include <vector>

#include "systole/graph.hpp"

namespace systole::training {

/// The tensors, by number, whose first axis is that of the samples; empty if the network is for one sample only: an
/// operator mixes samples, needs a constant once for each of them other than beside them in a Concat, or an input or
/// output is not [1,...].
std::vector<bool> batch_tensors(const graph::Graph& graph);

}  // namespace systole::training
