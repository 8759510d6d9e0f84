// SPDX-License-Identifier: Apache-2.0
// Values of a graph's tensors.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

/// Elements of a tensor, dense and row-major.
struct Value {
  ElementType type = ElementType::kInt8;
  Shape shape;
  Bytes data;  ///< count(shape) * element_size(type)
};

/// Throws InvalidArgument, which begins with `place` and tells given and needed, unless type, shape and number of bytes
/// are those of the tensor.
void check_value(std::string_view place, const Tensor& tensor, ElementType type, const Shape& shape, std::size_t bytes);

/// Throws InvalidArgument unless the graph has this number of inputs.
void check_input_count(const Graph& graph, std::size_t given);

/// Throws InvalidArgument unless there is one value for each input of the graph, as check_value() demands it.
void check_inputs(const Graph& graph, const std::vector<Value>& values);

/// The elements as C++ numbers. Throws GraphError if Element does not have the size of the value's type.
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
