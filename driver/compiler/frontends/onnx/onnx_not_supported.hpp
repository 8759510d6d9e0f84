// SPDX-License-Identifier: Apache-2.0
// What an ONNX file may hold and this importer does not take: a closed list, so that tools can count and sort.
#pragma once

#include <string>

#include "systole/graph.hpp"

namespace systole::graph {

enum class OnnxRefusal {
  kControlFlow,        ///< If, Loop, Scan and other nodes that hold graphs
  kSequence,           ///< values that are sequences or maps
  kOptional,           ///< values that may be absent
  kString,             ///< texts as elements, and what works on them or counts words
  kSparse,             ///< sparse tensors
  kRandom,             ///< results that differ from run to run, seeded or not
  kTraining,           ///< gradients, optimizers, training modes
  kTooLarge,           ///< a node that would become too many operators, or a table of weights without bound
  kDynamicShape,       ///< a dimension that the file leaves open, or that depends on values
  kEmptyTensor,        ///< a dimension of 0
  kElementType,        ///< complex numbers, and where an operator does not take a type
  kComputedParameter,  ///< a scale, shape or the like that is computed at run time
  kSecondResult,       ///< a further result of an operator, such as the indices of a maximum
  kMode,               ///< a mode or attribute value of an operator that is otherwise supported
  kExternalData,       ///< constants in files beside the model
  kUnknownOperator,    ///< an operator that is not implemented, or of another domain
  kVersion,            ///< of the format or of the operator sets, newer than what is known
};

/// A few words for lists, such as "control flow".
const char* name_of(OnnxRefusal reason);
/// What a user can do about it.
const char* remedy_of(OnnxRefusal reason);

/// The file is in order but holds something of the list; the text says where and what to do.
class OnnxNotSupported : public GraphError {
 public:
  OnnxNotSupported(OnnxRefusal reason, const std::string& text) : GraphError(text), reason_(reason) {}
  OnnxRefusal reason() const { return reason_; }

 private:
  OnnxRefusal reason_;
};

}  // namespace systole::graph
