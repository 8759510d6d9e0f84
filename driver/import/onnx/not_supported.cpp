// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/not_supported.hpp"

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
  }
  return "";
}

}  // namespace systole::graph
