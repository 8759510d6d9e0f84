// SPDX-License-Identifier: Apache-2.0
// The losses that a training makes small, from a network's scores and the targets of the samples, as operators of a
// graph. systole/training.hpp has their formulas.
//
// Targets are classes, int32 [N], of which -1 is no sample; or float32 [N,C], labels of 0 and 1 or numbers, of which
// minus infinity is no sample, so that a batch may be filled up. Where another loss than the cross entropy takes
// classes, the target of the class's output is 1 and that of the others 0. The loss of a sample is the mean over the
// outputs, but for the cross entropy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graph_builder.hpp"
#include "systole/training.hpp"

namespace systole::training {

using graph::GraphBuilder;
using graph::Shape;
using graph::TensorId;

/// "cross-entropy", "binary", "mean-square", "huber".
std::string name_of(LossKind kind);

struct LossTerms {
  TensorId sum;  ///< over the samples; a scalar
  /// A second sum over the samples, for people; of classes, the number of samples whose class has the greatest score;
  /// of labels, the share of the outputs whose score is above 0 for 1 and below for 0; of numbers, the mean of the
  /// outputs' absolute differences.
  TensorId metric;
};

/// scores [N,C]. The functions before the logarithms are composed with them, so that no score is too large. Throws
/// GraphError for the cross entropy of one output, which is 0 whatever the score, and for class weights of another
/// number than the loss takes.
LossTerms loss_of(GraphBuilder& w, const Loss& loss, TensorId scores, TensorId targets);

}  // namespace systole::training
