// SPDX-License-Identifier: Apache-2.0
// 16-bit floats are float32 inside the network, so that it runs as the same network of float32 does. Inputs and outputs
// keep their types, and Cast to one of these types rounds.
#include <fmt/core.h>

#include <algorithm>

#include "element_visit.hpp"
#include "onnx_tensors.hpp"
#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {
namespace {

template <class To, class From>
Bytes converted(const Value& value) {
  const auto from = elements<From>(value);
  std::vector<To> to(from.size());
  std::transform(from.begin(), from.end(), to.begin(), [](From number) { return static_cast<To>(number); });
  return make_value(value.type, value.shape, to).data;
}

/// A constant as another type of real numbers.
Tensor as_real(const Tensor& tensor, ElementType type) {
  const Value value = constant_value(tensor);
  Tensor result = tensor;
  result.type = type;
  result.constant = std::make_shared<Bytes>(with_element(tensor.type, [&](auto from) {
    return with_element(type, [&](auto to) { return converted<decltype(to), decltype(from)>(value); });
  }));
  return result;
}

}  // namespace

bool is_small_float(ElementType type) { return type == ElementType::kFloat16 || type == ElementType::kBfloat16; }

ElementType widened(ElementType type) { return is_small_float(type) ? ElementType::kFloat32 : type; }

Tensor widened(Tensor constant) {
  return is_small_float(constant.type) && constant.constant ? as_real(constant, ElementType::kFloat32)
                                                            : std::move(constant);
}

TensorId Translation::as_real_type(TensorId id, ElementType type, const std::string& name) {
  if (tensor(id).constant) {
    Tensor result = as_real(tensor(id), type);
    result.name = name;
    return add_tensor(std::move(result));
  }
  used_.insert(id);
  Operator op;
  op.name = name;
  for (int repeat = 1; node_ == nullptr && !names_.insert(op.name).second; ++repeat) {
    op.name = fmt::format("{}#{}", name, repeat);
  }
  op.origin = "Cast";
  op.kind = Convert{};
  op.arithmetic = Arithmetic::kOnnx;
  op.inputs = {id};
  op.outputs = {add_tensor({name, type, shape(id), {}, nullptr})};
  const TensorId result = op.outputs[0];
  graph_.operators.push_back(std::move(op));
  return result;
}

TensorId Translation::widen(TensorId id) {
  if (!is_small_float(tensor(id).type)) {
    return id;
  }
  const std::string name = node_ == nullptr ? tensor(id).name + "/float32" : std::string();  // a node names its results
  const TensorId wide = as_real_type(id, ElementType::kFloat32, name);
  narrow_[wide] = id;
  return wide;
}

/// An output of the file's type.
TensorId Translation::as_declared(TensorId id, const onnx::ValueInfoProto& output) {
  const auto number = output.type().tensor_type().elem_type();
  const bool small = number == onnx::TensorProto::FLOAT16 || number == onnx::TensorProto::BFLOAT16;
  if (!small || tensor(id).type != ElementType::kFloat32) {
    return id;
  }
  const ElementType type = element_type(number, output.name());
  if (const auto narrow = narrow_.find(id); narrow != narrow_.end() && tensor(narrow->second).type == type) {
    std::string& name = graph_.tensor(narrow->second).name;
    if (name.empty() || name.back() == '/') {  // the result of a Cast, which has no name of the file yet
      name = output.name();
      graph_.tensor(id).name = output.name() + "/float32";
    }
    return narrow->second;
  }
  graph_.tensor(id).name += "/float32";
  return as_real_type(id, type, output.name());
}

ElementType Translation::stored_type(TensorId id) const {
  const auto narrow = narrow_.find(id);
  return tensor(narrow == narrow_.end() ? id : narrow->second).type;
}

}  // namespace systole::graph::onnx_file
