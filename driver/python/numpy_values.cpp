// SPDX-License-Identifier: Apache-2.0
#include "numpy_values.hpp"

#include <fmt/core.h>

#include <cstring>
#include <limits>

#include "systole/errors.hpp"

namespace systole::python {

namespace py = pybind11;
using graph::ElementType;

namespace {

const char* numpy_name(ElementType type) {
  switch (type) {
    case ElementType::kInt8: return "int8";
    case ElementType::kUint8: return "uint8";
    case ElementType::kInt16: return "int16";
    case ElementType::kUint16:
    case ElementType::kBfloat16: return "uint16";
    case ElementType::kInt32: return "int32";
    case ElementType::kInt64: return "int64";
    case ElementType::kFloat32: return "float32";
    case ElementType::kFloat64: return "float64";
    case ElementType::kBool: return "bool";
    case ElementType::kUint32: return "uint32";
    case ElementType::kUint64: return "uint64";
    case ElementType::kFloat16: return "float16";
  }
  throw InternalError("an element type without a name in NumPy");
}

std::string text(const py::handle& object) { return py::str(object).cast<std::string>(); }

std::vector<py::ssize_t> shape_of(const py::array& array) { return {array.shape(), array.shape() + array.ndim()}; }

void check_dimensions(const py::array& array, const std::string& name, int dimensions) {
  if (array.ndim() != dimensions) {
    throw InvalidArgument(fmt::format("{}: {} dimensions given, it has {}", name, array.ndim(), dimensions));
  }
  for (const py::ssize_t size : shape_of(array)) {
    if (size < 1 || size > std::numeric_limits<int>::max()) {
      throw InvalidArgument(fmt::format("{}: a dimension of {}; sizes are 1 .. 2^31-1", name, size));
    }
  }
}

/// The distances in bytes between neighbours of a dense array. pybind11 before 2.12 would read the size of an element
/// from where NumPy 1 has it, which is elsewhere in NumPy 2.
std::vector<py::ssize_t> dense_strides(const graph::Shape& shape, std::size_t element_bytes) {
  std::vector<py::ssize_t> strides(shape.size());
  auto stride = static_cast<py::ssize_t>(element_bytes);
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

}  // namespace

py::dtype dtype_of(ElementType type) { return py::dtype(std::string(numpy_name(type))); }

py::array to_array(const graph::Value& value) {
  return {dtype_of(value.type), std::vector<py::ssize_t>(value.shape.begin(), value.shape.end()),
          dense_strides(value.shape, element_size(value.type)), value.data.data()};
}

ElementType element_type_of(const py::array& array, const std::string& name) {
  for (const ElementType type :
       {ElementType::kInt8, ElementType::kUint8, ElementType::kInt16, ElementType::kUint16, ElementType::kInt32,
        ElementType::kUint32, ElementType::kInt64, ElementType::kUint64, ElementType::kFloat16, ElementType::kFloat32,
        ElementType::kFloat64, ElementType::kBool}) {
    if (array.dtype().equal(dtype_of(type))) {
      return type;
    }
  }
  throw InvalidArgument(fmt::format("{}: elements are {}; expected integers, floats of 16 to 64 bits, or bool", name,
                                    text(array.dtype())));
}

namespace {

graph::Value copied(const py::array& array, ElementType type) {
  const std::vector<py::ssize_t> shape = shape_of(array);
  const py::array dense = py::array::ensure(array, py::array::c_style);
  graph::Value value{type, graph::Shape(shape.begin(), shape.end()),
                     graph::Bytes(static_cast<std::size_t>(dense.size()) * element_size(type))};
  if (!value.data.empty()) {
    std::memcpy(value.data.data(), dense.data(), value.data.size());
  }
  return value;
}

}  // namespace

graph::Value to_value(const py::array& array, const std::string& name) {
  return copied(array, element_type_of(array, name));
}

graph::Value to_value(const py::array& array, const graph::Tensor& tensor) {
  const std::vector<py::ssize_t> shape = shape_of(array);
  if (!array.dtype().equal(dtype_of(tensor.type)) || graph::Shape(shape.begin(), shape.end()) != tensor.shape) {
    throw InvalidArgument(fmt::format("input '{}': {} of shape {} given, it takes {} of shape {}", tensor.name,
                                      text(array.dtype()), text(array.attr("shape")), numpy_name(tensor.type),
                                      graph::to_string(tensor.shape)));
  }
  return copied(array, tensor.type);
}

template <class Element>
std::vector<Element> to_vector(const py::array& array, const std::string& name, int dimensions) {
  if (!array.dtype().equal(py::dtype::of<Element>())) {
    throw InvalidArgument(fmt::format("{}: elements are {}, not {}; convert it, as by array.astype(...)", name,
                                      text(array.dtype()), text(py::dtype::of<Element>())));
  }
  check_dimensions(array, name, dimensions);
  const py::array dense = py::array::ensure(array, py::array::c_style);
  const auto* first = static_cast<const Element*>(dense.data());
  return {first, first + dense.size()};
}

template std::vector<std::int8_t> to_vector<std::int8_t>(const py::array&, const std::string&, int);
template std::vector<std::int32_t> to_vector<std::int32_t>(const py::array&, const std::string&, int);

HostTensor8 to_tensor(const py::array& array, const std::string& name) {
  HostTensor8 tensor;
  tensor.data = to_vector<std::int8_t>(array, name, 4);
  tensor.batch = static_cast<int>(array.shape(0));
  tensor.height = static_cast<int>(array.shape(1));
  tensor.width = static_cast<int>(array.shape(2));
  tensor.channels = static_cast<int>(array.shape(3));
  return tensor;
}

}  // namespace systole::python
