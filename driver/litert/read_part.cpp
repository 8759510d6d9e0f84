// SPDX-License-Identifier: Apache-2.0
#include "read_part.hpp"

#include <variant>

#include "import_tflite.hpp"

namespace systole::litert {

graph::ModelContents read_part(Context& context, const Part& part, const std::string& name) {
  graph::ModelContents contents = graph::read_tflite(model_of(context, part), name);
  // The kernels for microcontrollers, which the importer follows, round a dense layer twice, LiteRT's once.
  for (graph::Operator& op : contents.graph.operators) {
    const graph::ElementType type = contents.graph.tensor(op.inputs.at(0)).type;
    if (std::holds_alternative<graph::Dense>(op.kind) && type == graph::ElementType::kInt8) {
      op.arithmetic = graph::Arithmetic::kLiteRt;
    }
  }
  return contents;
}

}  // namespace systole::litert
