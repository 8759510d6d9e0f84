// SPDX-License-Identifier: Apache-2.0
#include "onnx_writer.hpp"

#include <fmt/core.h>

#include <utility>

#include "attributes.hpp"

namespace systole::training {
namespace {

using graph::ElementType;

constexpr std::int64_t kIrVersion = 9, kOperatorSet = 20;

int type_of(const graph::Tensor& tensor) {
  switch (tensor.type) {
    case ElementType::kFloat32: return onnx::TensorProto::FLOAT;
    case ElementType::kInt64: return onnx::TensorProto::INT64;
    case ElementType::kInt32: return onnx::TensorProto::INT32;
    case ElementType::kBool: return onnx::TensorProto::BOOL;
    default: throw graph::GraphError(fmt::format("{} is not written to ONNX files", title(tensor)));
  }
}

void describe(onnx::ValueInfoProto& info, const graph::Tensor& tensor, bool any_batch) {
  info.set_name(tensor.name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(type_of(tensor));
  for (const std::int64_t size : tensor.shape) {
    type.mutable_shape()->add_dim()->set_dim_value(size);
  }
  if (any_batch) {
    type.mutable_shape()->mutable_dim(0)->set_dim_param("batch");
  }
}

onnx::AttributeProto& named(onnx::NodeProto& node, const char* name, onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

}  // namespace

OnnxWriter::OnnxWriter(const std::string& name, std::set<std::string> taken) : taken_(std::move(taken)) {
  model_.set_ir_version(kIrVersion);
  model_.set_producer_name("systole");
  auto& opset = *model_.add_opset_import();
  opset.set_domain("");
  opset.set_version(kOperatorSet);
  graph().set_name(name);
}

std::string OnnxWriter::next_name() {
  std::string name;
  do {
    name = fmt::format("made.{}", count_++);
  } while (taken_.count(name) > 0);
  return name;
}

onnx::NodeProto* OnnxWriter::node(const std::string& type, const std::vector<std::string>& inputs,
                                  const std::string& output) {
  onnx::NodeProto* node = graph().add_node();
  node->set_op_type(type);
  node->set_name(output);
  for (const std::string& input : inputs) {
    node->add_input(input);
  }
  node->add_output(output);
  return node;
}

std::string OnnxWriter::made(const std::string& type, const std::vector<std::string>& inputs) {
  const std::string name = next_name();
  node(type, inputs, name);
  return name;
}

std::string OnnxWriter::transposed(const std::string& input, const std::vector<std::int64_t>& permutation) {
  const std::string name = next_name();
  attribute(*node("Transpose", {input}, name), "perm", permutation);
  return name;
}

void OnnxWriter::constant(const std::string& name, const graph::Value& value) {
  onnx::TensorProto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type_of({name, value.type, value.shape, {}, nullptr}));
  for (const std::int64_t size : value.shape) {
    tensor.add_dims(size);
  }
  tensor.set_raw_data(value.data.data(), value.data.size());
}

std::string OnnxWriter::list(const std::vector<std::int64_t>& values) {
  const std::string name = next_name();
  constant(name, make_value(ElementType::kInt64, {static_cast<std::int64_t>(values.size())}, values));
  return name;
}

std::string OnnxWriter::scalar(float value) {
  const std::string name = next_name();
  constant(name, make_value(ElementType::kFloat32, {}, std::vector<float>{value}));
  return name;
}

void OnnxWriter::input(const graph::Tensor& tensor, bool any_batch) {
  describe(*graph().add_input(), tensor, any_batch);
}
void OnnxWriter::output(const graph::Tensor& tensor, bool any_batch) {
  describe(*graph().add_output(), tensor, any_batch);
}

graph::Bytes OnnxWriter::bytes() const {
  const std::string text = model_.SerializeAsString();
  return {text.begin(), text.end()};
}

void attribute(onnx::NodeProto& node, const char* name, std::int64_t value) {
  named(node, name, onnx::AttributeProto::INT).set_i(value);
}
void attribute(onnx::NodeProto& node, const char* name, float value) {
  named(node, name, onnx::AttributeProto::FLOAT).set_f(value);
}
void attribute(onnx::NodeProto& node, const char* name, const char* value) {
  named(node, name, onnx::AttributeProto::STRING).set_s(value);
}
void attribute(onnx::NodeProto& node, const char* name, const std::vector<std::int64_t>& values) {
  auto& list = named(node, name, onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) {
    list.add_ints(value);
  }
}

}  // namespace systole::training
