// SPDX-License-Identifier: Apache-2.0
// Networks on the host. Integer results are exactly those of the operator's Arithmetic, computed by sim/golden; moved elements
// are copied; float32 is computed plainly, in double and rounded once. Slow, and meant to be obviously right.
#pragma once

#include <cstring>
#include <functional>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

/// Elements of a tensor, dense and row-major.
struct Value {
  ElementType type = ElementType::kInt8;
  Shape shape;
  Bytes data;  ///< count(shape) * element_size(type)
};

/// Called with an operator and its results, in the order of the graph.
using Observer = std::function<void(const Operator& op, const std::vector<Value>& outputs)>;

/// Runs a valid graph. `inputs` are as Graph::inputs in number, order, type and shape; results are as Graph::outputs. Values are
/// dropped after their last use. Throws GraphError, naming operator and reason, for a combination of operator, types and
/// arithmetic that is not supported, and for inputs that do not fit.
std::vector<Value> execute(const Graph& graph, const std::vector<Value>& inputs, const Observer& observer = {});

/// One operator of a valid graph. `inputs` are as Operator::inputs, null where it has kNoTensor.
std::vector<Value> execute_operator(const Graph& graph, const Operator& op, const std::vector<const Value*>& inputs);

/// The elements of a constant tensor.
Value constant_value(const Tensor& tensor);

/// Elements as numbers of C++. Element has the size of the value's type, else GraphError.
template <class Element>
std::vector<Element> elements(const Value& value) {
  if (sizeof(Element) != element_size(value.type)) {
    throw GraphError(std::string("elements of type ").append(name_of(value.type)).append(" read as another size"));
  }
  std::vector<Element> result(value.data.size() / sizeof(Element));
  if (!result.empty()) {
    std::memcpy(result.data(), value.data.data(), value.data.size());
  }
  return result;
}

template <class Element>
Value make_value(ElementType type, const Shape& shape, const std::vector<Element>& elements) {
  Value value{type, shape, Bytes(elements.size() * sizeof(Element))};
  if (!elements.empty()) {
    std::memcpy(value.data.data(), elements.data(), value.data.size());
  }
  return value;
}

}  // namespace systole::graph
