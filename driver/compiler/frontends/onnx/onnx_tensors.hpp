// SPDX-License-Identifier: Apache-2.0
// Tensors of an ONNX file as tensors of a graph.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "systole/graph.hpp"

namespace systole::graph::onnx_file {

/// What the format calls the type of this number, also of types that are newer than the message classes: "INT4",
/// "number 99".
std::string element_name(std::int64_t number);

/// The type of this number in the file. Throws OnnxNotSupported beginning with `title` for one that a graph does not
/// have.
ElementType element_type(std::int32_t number, const std::string& title);

/// A constant. Throws GraphError for one whose elements are not as many as its shape says, OnnxNotSupported for one
/// without elements, of other types, or in another file.
Tensor constant_tensor(const onnx::TensorProto& tensor, const std::string& title);

/// A constant of the given elements.
Tensor integers_tensor(const std::string& name, const std::vector<std::int64_t>& values);
Tensor reals_tensor(const std::string& name, const Shape& shape, const std::vector<float>& values);

}  // namespace systole::graph::onnx_file
