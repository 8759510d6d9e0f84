// SPDX-License-Identifier: Apache-2.0
// Converts tensors of an ONNX file to tensors of a graph.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "systole/graph.hpp"

namespace systole::graph::onnx_file {

/// The format's name for this type number, also for types unknown to the message classes: "INT4", "number 99".
std::string element_name(std::int64_t number);

/// The element type for this number in the file. Throws OnnxNotSupported, the message beginning with `title`, for an
/// unsupported type.
ElementType element_type(std::int32_t number, const std::string& title);

/// float16 and bfloat16.
bool is_small_float(ElementType type);
/// The type that the network computes with: float32 for 16-bit floats.
ElementType widened(ElementType type);
/// A constant as this type.
Tensor widened(Tensor constant);

/// A constant as the file has it. Throws GraphError if the number of elements does not match its shape,
/// OnnxNotSupported for an empty tensor, other types, or data in another file.
Tensor constant_tensor(const onnx::TensorProto& tensor, const std::string& title);

/// A constant with the given elements.
Tensor integers_tensor(const std::string& name, const std::vector<std::int64_t>& values);
Tensor reals_tensor(const std::string& name, const Shape& shape, const std::vector<float>& values);

}  // namespace systole::graph::onnx_file
