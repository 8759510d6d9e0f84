// SPDX-License-Identifier: Apache-2.0
// A network to train from the graph of a file.
#pragma once

#include "networks.hpp"

namespace systole::training {

/// Throws GraphError unless the graph computes the float32 outputs of one sample, [1,...], from inputs [1,...] of
/// float32, int32 or int64.
void check_trainable(const graph::Graph& graph);

/// `graph` takes one sample and returns its scores or numbers, its only output; `options.batch` samples are trained at
/// once. While training, its batch normalizations go by the batch, unless their running statistics are frozen, and its
/// dropout drops (ImportOptions::training).
/// Constants of float32 with more than one element become parameters, with the tensor's name, and so do weights and
/// biases of one; another constant of one element, such as a factor or a number without axes that is added, stays what
/// it is. Throws GraphError for other graphs, for those without parameters, and for operators whose first axis is not a
/// sample's.
Network imported(const graph::Graph& graph, const NetworkOptions& options);

}  // namespace systole::training
