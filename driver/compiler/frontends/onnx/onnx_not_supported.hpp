// SPDX-License-Identifier: Apache-2.0
// Valid ONNX features that this importer does not support: a closed list, so that tools can count and sort.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

enum class OnnxRefusal {
  kControlFlow,        ///< nodes with subgraphs other than If, Loop and Scan
  kSequence,           ///< values that are sequences or maps
  kOptional,           ///< optional values
  kString,             ///< string elements and the operators on them, text vectorizers
  kSparse,             ///< sparse tensors
  kRandom,             ///< nondeterministic results, seeded or not
  kTraining,           ///< gradients, optimizers, training modes
  kTooLarge,           ///< a node that would become too many operators, or an unbounded table of weights
  kDynamicShape,       ///< a dimension that the file leaves open or that depends on values
  kEmptyTensor,        ///< a dimension of 0
  kElementType,        ///< complex numbers, or an operator that does not support a type
  kComputedParameter,  ///< a scale, shape or the like that is computed at run time
  kSecondResult,       ///< an additional result of an operator, such as the indices of a maximum
  kMode,               ///< an unsupported mode or attribute value of a supported operator
  kExternalData,       ///< constants in files beside the model
  kUnknownOperator,    ///< an unknown operator, or one of another domain
  kVersion,            ///< a format or operator set version newer than the supported ones
};

/// A short name for lists, such as "control flow".
const char* name_of(OnnxRefusal reason);
/// What a user can do about it.
const char* remedy_of(OnnxRefusal reason);

/// The file is valid but uses an unsupported feature; the message says where and what to do.
class OnnxNotSupported : public GraphError {
 public:
  OnnxNotSupported(OnnxRefusal reason, const std::string& text, std::vector<std::string> options = {})
      : GraphError(text), reason_(reason), options_(std::move(options)) {}
  OnnxRefusal reason() const { return reason_; }
  /// Obstacle::options.
  const std::vector<std::string>& options() const { return options_; }

 private:
  OnnxRefusal reason_;
  std::vector<std::string> options_;
};

}  // namespace systole::graph
