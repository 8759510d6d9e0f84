// SPDX-License-Identifier: Apache-2.0
// Cross entropy of classes.
#pragma once

#include "graph_writer.hpp"

namespace systole::training {

struct Loss {
  TensorId sum;    ///< of -log(softmax(scores)[label]) over the samples; a scalar
  TensorId right;  ///< the number of samples whose greatest score is the label's; a scalar of the scores' type
};

/// scores [N,C], labels int32 [N]. A label beyond 0 .. C - 1 adds nothing to either, so that a batch may be filled up
/// with -1. The softmax's logarithm is computed at once, so that no score is too large.
Loss cross_entropy(GraphWriter& w, TensorId scores, TensorId labels);

}  // namespace systole::training
