// SPDX-License-Identifier: Apache-2.0
#include "onnx_not_supported.hpp"

namespace systole::graph {

const char* name_of(OnnxRefusal reason) {
  switch (reason) {
    case OnnxRefusal::kControlFlow: return "control flow";
    case OnnxRefusal::kSequence: return "sequence";
    case OnnxRefusal::kOptional: return "optional value";
    case OnnxRefusal::kString: return "string";
    case OnnxRefusal::kSparse: return "sparse tensor";
    case OnnxRefusal::kRandom: return "random";
    case OnnxRefusal::kTraining: return "training operator";
    case OnnxRefusal::kTooLarge: return "too large";
    case OnnxRefusal::kDynamicShape: return "dynamic shape";
    case OnnxRefusal::kEmptyTensor: return "empty tensor";
    case OnnxRefusal::kElementType: return "element type";
    case OnnxRefusal::kComputedParameter: return "computed parameter";
    case OnnxRefusal::kSecondResult: return "second result";
    case OnnxRefusal::kMode: return "mode";
    case OnnxRefusal::kExternalData: return "external data";
    case OnnxRefusal::kUnknownOperator: return "unknown operator";
    case OnnxRefusal::kVersion: return "newer version";
  }
  return "";
}

const char* remedy_of(OnnxRefusal reason) {
  switch (reason) {
    case OnnxRefusal::kControlFlow: return "export the model by tracing, with loops unrolled and branches decided";
    case OnnxRefusal::kSequence:
    case OnnxRefusal::kOptional: return "export the model with tensors instead of sequences and optional values";
    case OnnxRefusal::kString: return "remove string processing from the model and pass numbers to it";
    case OnnxRefusal::kSparse: return "export the model with dense constants";
    case OnnxRefusal::kRandom: return "make the random numbers an input of the model";
    case OnnxRefusal::kTraining: return "export the model for inference";
    case OnnxRefusal::kTooLarge:
      return "export the model with smaller tables; --constant-memory raises the limit of computed constants";
    case OnnxRefusal::kDynamicShape:
      return "give the sizes with --dimension NAME=SIZE, or export the model with fixed shapes";
    case OnnxRefusal::kEmptyTensor: return "export the model without the parts that have no elements";
    case OnnxRefusal::kElementType: return "convert the model to float32, or to int8 with scales";
    case OnnxRefusal::kComputedParameter:
      return "give the input that it comes from with --constant NAME=VALUE, or make it constant when exporting the "
             "model";
    case OnnxRefusal::kSecondResult: return "export the model without uses of this output";
    case OnnxRefusal::kMode: return "export the model with another mode of the operator";
    case OnnxRefusal::kExternalData: return "save the model with all data inside";
    case OnnxRefusal::kUnknownOperator:
      return "export the model with supported operators, say with --kernel what this one computes, or remove it";
    case OnnxRefusal::kVersion: return "export the model for an older operator set";
  }
  return "";
}

}  // namespace systole::graph
