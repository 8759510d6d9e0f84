// SPDX-License-Identifier: Apache-2.0
// How a network ends, and which loss it is trained with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "loss.hpp"
#include "systole/graph.hpp"

namespace systole::training {

/// The last operator but reshapes.
enum class LastOperator { kSoftmax, kSigmoid, kOther };

struct Ending {
  graph::Graph network;  ///< without operators that its output does not depend on
  /// The same, up to what its loss takes: the loss of a softmax or a sigmoid is computed together with it.
  graph::Graph scores;
  LossKind loss = LossKind::kCrossEntropy;
  std::int64_t outputs = 1;
  /// What the loss is of, if that is not the cross entropy of the graph's outputs as they are: "binary cross entropy of
  /// the score before 'Sigmoid.3'". Else empty.
  std::string text;
};

/// Whether the loss is computed together with the last operator, from the scores before it.
bool takes_scores(LastOperator last, LossKind loss);

/// Ending::text.
std::string text_of(LastOperator last, LossKind loss, std::int64_t outputs, const std::string& operator_name);

/// The loss that goes with the last operator: the cross entropy of a softmax, the binary one of a sigmoid; else the
/// cross entropy if there are several outputs and the targets are `classes`, and the mean square if not. `wanted`
/// overrides it. Throws GraphError, with the remedy, for a loss that this network cannot have: the cross entropy of one
/// output, which is always 0; anything of a softmax over one output, which is always 1; the binary loss of a softmax.
LossKind loss_after(LastOperator last, std::int64_t outputs, bool classes, std::optional<LossKind> wanted,
                    const std::string& name);

/// Throws GraphError as check_trainable() and loss_after() do, and for a softmax or cross entropy of outputs that are
/// not [1,...,1,classes].
Ending ending_of(graph::Graph graph, bool classes, std::optional<LossKind> wanted);

}  // namespace systole::training
