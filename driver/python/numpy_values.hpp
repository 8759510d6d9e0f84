// SPDX-License-Identifier: Apache-2.0
// Converts between NumPy arrays and the driver's tensors. Elements are copied.
#pragma once

#include <pybind11/numpy.h>

#include <string>
#include <vector>

#include "systole/graph_value.hpp"
#include "systole/operator_types.hpp"

namespace systole::python {

/// The NumPy type of the elements. It is uint16 for bfloat16, which NumPy does not have.
pybind11::dtype dtype_of(graph::ElementType type);

pybind11::array to_array(const graph::Value& value);

/// The type of an array's elements. Throws InvalidArgument, beginning with `name`, for types that no tensor has.
graph::ElementType element_type_of(const pybind11::array& array, const std::string& name);

/// Type, shape and elements of any array. Throws as element_type_of().
graph::Value to_value(const pybind11::array& array, const std::string& name);

/// The array must have the type and shape of the tensor. Throws InvalidArgument.
graph::Value to_value(const pybind11::array& array, const graph::Tensor& tensor);

/// An int8 array of 4 dimensions, NHWC. Throws InvalidArgument, beginning with `name`.
HostTensor8 to_tensor(const pybind11::array& array, const std::string& name);

template <class Element>
pybind11::array to_array(const HostTensor<Element>& tensor) {
  return pybind11::array_t<Element>({tensor.batch, tensor.height, tensor.width, tensor.channels}, tensor.data.data());
}

/// The elements of an array of type `Element` with `dimensions` dimensions, row-major. Throws InvalidArgument.
template <class Element>
std::vector<Element> to_vector(const pybind11::array& array, const std::string& name, int dimensions);

}  // namespace systole::python
