// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

namespace systole::container {
namespace {

using graph::Graph;

std::vector<std::shared_ptr<const graph::Bytes>> constants_of(const format::Graph& from, Reader& reader) {
  std::vector<std::shared_ptr<const graph::Bytes>> constants;
  for (flatbuffers::uoffset_t i = 0; i < size_of(from.constants()); ++i) {
    constants.push_back(std::make_shared<const graph::Bytes>(reader.numbers(from.constants()->Get(i)->data())));
  }
  return constants;
}

graph::Tensor read(const format::Tensor& from, const std::vector<std::shared_ptr<const graph::Bytes>>& constants,
                   Reader& reader) {
  graph::Tensor to;
  to.name = reader.text(from.name());
  to.type = enumerator<graph::ElementType>(from.type(), "element type");
  to.shape = reader.numbers(from.shape());
  if (const format::Quantization* q = from.quantization()) {
    to.quantization = graph::Quantization{reader.numbers(q->scale()), reader.numbers(q->zero_point()), q->axis()};
  }
  to.as_weights = from.as_weights();
  if (from.constant() >= 0) {
    if (static_cast<std::size_t>(from.constant()) >= constants.size()) {
      throw ContainerError(fmt::format("tensor '{}': constant {} of {} does not exist; the file is damaged", to.name,
                                       from.constant(), constants.size()));
    }
    to.constant = constants[static_cast<std::size_t>(from.constant())];
  }
  return to;
}

graph::Operator read(const format::Operator& from, Reader& reader) {
  graph::Operator to;
  to.name = reader.text(from.name());
  to.origin = reader.text(from.origin());
  to.kind = read_kind(from, reader);
  to.arithmetic = enumerator<graph::Arithmetic>(from.arithmetic(), "arithmetic");
  to.inputs = reader.numbers(from.inputs());
  to.outputs = reader.numbers(from.outputs());
  return to;
}

}  // namespace

Graph read_graph(const format::Graph& from, Reader& reader) {
  Graph to;
  to.name = reader.text(from.name());
  const auto constants = constants_of(from, reader);
  for (flatbuffers::uoffset_t i = 0; i < size_of(from.tensors()); ++i) {
    to.tensors.push_back(read(*from.tensors()->Get(i), constants, reader));
  }
  for (flatbuffers::uoffset_t i = 0; i < size_of(from.operators()); ++i) {
    to.operators.push_back(read(*from.operators()->Get(i), reader));
  }
  to.inputs = reader.numbers(from.inputs());
  to.outputs = reader.numbers(from.outputs());
  for (const std::int32_t constant : reader.numbers(from.states())) {
    if (constant < 0 || static_cast<std::size_t>(constant) >= constants.size()) {
      throw ContainerError(fmt::format("a state begins with constant {}; there are {}; the file is damaged", constant,
                                       constants.size()));
    }
    to.states.push_back(constants[static_cast<std::size_t>(constant)]);
  }
  try {
    graph::validate(to);
  } catch (const graph::GraphError& error) {
    throw ContainerError(fmt::format("the graph: {}", error.what()));
  }
  return to;
}

}  // namespace systole::container
