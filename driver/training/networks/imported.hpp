// SPDX-License-Identifier: Apache-2.0
// A network to train from the graph of a file.
#pragma once

#include "trainable_network.hpp"

namespace systole::training {

/// Throws GraphError if the graph does not compute the float32 scores of one float32 picture, [1, ..., 1, outputs].
void check_trainable(const graph::Graph& graph);

/// `graph` takes one picture, its only input, as float32, and returns scores, its only output, [1, ..., 1, outputs];
/// `batch` pictures are trained at once. Constants of float32 with more than one element become parameters, with the
/// tensor's name, and so do weights and biases of one; another constant of one element, such as a factor or a number
/// without axes that is added, stays what it is. Throws GraphError for other graphs, for those without parameters, and
/// for operators whose first axis is not a sample's.
Network imported(const graph::Graph& graph, std::int64_t batch);

}  // namespace systole::training
