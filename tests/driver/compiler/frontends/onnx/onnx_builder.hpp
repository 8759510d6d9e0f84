// SPDX-License-Identifier: Apache-2.0
// Small ONNX files, valid or deliberately invalid.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstring>
#include <string>
#include <vector>

#include "import_onnx.hpp"
#include "systole/execute.hpp"

namespace systole::graph::test {

template <class Element>
constexpr onnx::TensorProto_DataType onnx_type() {
  if constexpr (std::is_same_v<Element, float>) return onnx::TensorProto_DataType_FLOAT;
  if constexpr (std::is_same_v<Element, std::int8_t>) return onnx::TensorProto_DataType_INT8;
  if constexpr (std::is_same_v<Element, std::uint8_t>) return onnx::TensorProto_DataType_UINT8;
  if constexpr (std::is_same_v<Element, std::int32_t>) return onnx::TensorProto_DataType_INT32;
  return onnx::TensorProto_DataType_INT64;
}

/// Random elements: float in -1 .. 1, integers over the whole range.
template <class Element>
std::vector<Element> some(std::size_t count, std::uint32_t seed = 1) {
  std::vector<Element> values(count);
  for (Element& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = std::is_floating_point_v<Element> ? static_cast<Element>(static_cast<double>(seed >> 8) / 8388608.0 - 1.0)
                                              : static_cast<Element>(seed >> 16);
  }
  return values;
}

class OnnxBuilder {
 public:
  explicit OnnxBuilder(std::int64_t opset = 13) {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(opset);
    graph().set_name("small");
  }

  onnx::GraphProto& graph() { return *model.mutable_graph(); }

  OnnxBuilder& input(const std::string& name, const std::vector<std::int64_t>& shape,
                     int type = onnx::TensorProto::FLOAT) {
    auto* tensor = value(*graph().add_input(), name, type);
    tensor->mutable_shape();  // present, but without dimensions: a scalar
    for (const std::int64_t dimension : shape) {
      tensor->mutable_shape()->add_dim()->set_dim_value(dimension);
    }
    return *this;
  }
  template <class Element>
  OnnxBuilder& constant(const std::string& name, const std::vector<std::int64_t>& shape,
                        const std::vector<Element>& values) {
    onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx_type<Element>());
    for (const std::int64_t dimension : shape) {
      tensor.add_dims(dimension);
    }
    std::string raw(values.size() * sizeof(Element), '\0');
    std::memcpy(raw.data(), values.data(), raw.size());
    tensor.set_raw_data(raw);
    return *this;
  }
  onnx::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& node = *graph().add_node();
    node.set_op_type(type);
    for (const std::string& name : inputs) {
      node.add_input(name);
    }
    node.add_output(output);
    return node;
  }
  OnnxBuilder& output(const std::string& name) {
    value(*graph().add_output(), name, onnx::TensorProto::FLOAT);
    return *this;
  }

  Bytes bytes() const {
    const std::string text = model.SerializeAsString();
    return Bytes(text.begin(), text.end());
  }
  Graph import(const OnnxOptions& options = {}) const { return import_onnx(bytes(), "small", options); }

  onnx::ModelProto model;

 private:
  static onnx::TypeProto::Tensor* value(onnx::ValueInfoProto& info, const std::string& name, int type) {
    info.set_name(name);
    auto* tensor = info.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    return tensor;
  }
};

inline void set_ints(onnx::NodeProto& node, const char* name, const std::vector<std::int64_t>& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) {
    attribute.add_ints(value);
  }
}
inline void set_int(onnx::NodeProto& node, const char* name, std::int64_t value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}
inline void set_text(onnx::NodeProto& node, const char* name, const char* value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(value);
}
inline void set_real(onnx::NodeProto& node, const char* name, float value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
}

}  // namespace systole::graph::test
