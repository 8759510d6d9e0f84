// SPDX-License-Identifier: Apache-2.0
// The gradient of a maximum pool.
#pragma once

#include "graph_builder.hpp"

namespace systole::training {

/// Appends the gradient of what was pooled. The gradient of a maximum goes to the first element of the window that
/// equals it. `maxima` is the result of the pool, `gradient` that of the maxima.
graph::TensorId max_pool_gradient(graph::GraphBuilder& w, const Window& window, graph::TensorId pooled,
                                  graph::TensorId maxima, graph::TensorId gradient);

}  // namespace systole::training
