// SPDX-License-Identifier: Apache-2.0
#include "onnx_kind.hpp"

#include "kind_rules.hpp"

namespace systole::graph::onnx_file {

void add_kind(Translation& t, const OperatorKind& kind) {
  std::vector<TensorId> inputs;
  for (std::size_t i = 0; i < t.input_count(); ++i) {
    inputs.push_back(t.plain(t.input(i)));
  }
  const OperandRule& result = rules_of(kind).results[0];
  const ElementType type = result.elements == Elements::kBool    ? ElementType::kBool
                           : result.elements == Elements::kInt64 ? ElementType::kInt64
                                                                 : t.tensor(inputs.at(0)).type;
  t.result(t.emit(kind, std::move(inputs), type));
}

}  // namespace systole::graph::onnx_file
