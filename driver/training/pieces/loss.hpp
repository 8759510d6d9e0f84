// SPDX-License-Identifier: Apache-2.0
// The losses that a training makes small, from a network's scores and the labels of the samples.
//
//   cross entropy   -log(softmax(scores)[label])
//   binary          -log(sigmoid(score)) where the target is 1, -log(1 - sigmoid(score)) where it is 0
//   mean square     (output - target)^2
//
// With one output, the target is the label itself: 0 or 1 for the binary loss, any number for the mean square. With
// several, the target of the label's output is 1 and that of the others 0, and the loss of a sample is the mean over
// the outputs. A label of -1 is no sample: it adds nothing, so that a batch may be filled up.
#pragma once

#include <cstdint>
#include <string>

#include "graph_builder.hpp"

namespace systole::training {

using graph::GraphBuilder;
using graph::Shape;
using graph::TensorId;

enum class LossKind { kCrossEntropy, kBinary, kMeanSquare };

/// "cross-entropy", "binary", "mean-square".
std::string name_of(LossKind kind);

struct Loss {
  TensorId sum;    ///< over the samples; a scalar
  TensorId right;  ///< the number of right answers; a scalar of the scores' type
};

/// scores [N,C], labels int32 [N]. The functions before the logarithms are composed with them, so that no score is too
/// large. An answer is right if the label's score is the greatest of several; if it is above 0 for a label of 1 and
/// below for 0 (binary, one output); if it is within 1/2 of the label (mean square, one output). Throws GraphError for
/// the cross entropy of one output, which is 0 whatever the score.
Loss loss_of(GraphBuilder& w, LossKind kind, TensorId scores, TensorId labels);

/// The greatest label that this loss takes with so many outputs; the smallest is 0.
std::int64_t greatest_label(LossKind kind, std::int64_t outputs);

}  // namespace systole::training
