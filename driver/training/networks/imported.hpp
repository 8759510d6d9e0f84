// SPDX-License-Identifier: Apache-2.0
// A network to train from the graph of a file.
#pragma once

#include "trainable_network.hpp"

namespace systole::training {

/// `graph` takes one picture, its only input, as float32, and returns scores, its only output, [1, ..., 1, classes];
/// `batch` pictures are trained at once. Constants of float32 with more than one element become parameters, with the
/// tensor's name; a constant of one element, such as a factor, stays what it is. Throws GraphError for other graphs and
/// for operators whose first axis is not a sample's.
Network imported(const graph::Graph& graph, std::int64_t batch);

}  // namespace systole::training
