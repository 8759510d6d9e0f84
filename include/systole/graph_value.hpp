// SPDX-License-Identifier: Apache-2.0
// Values of a graph's tensors.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

/// Elements of a tensor, dense and row-major.
struct Value {
  ElementType type = ElementType::kInt8;
  Shape shape;
  Bytes data;  ///< count(shape) * element_size(type)
};

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
