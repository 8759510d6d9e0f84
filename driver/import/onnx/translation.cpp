// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/translation.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "graph/infer.hpp"
#include "import/onnx/tensors.hpp"

namespace systole::graph::onnx_file {

Translation::Translation(const File& file, const std::string& name, const OnnxOptions& options, const std::set<std::string>& bound)
    : file_(file), options_(options), bound_(bound) {
  graph_.name = name;
}

std::string Translation::title() const {
  return node_ == nullptr ? std::string("the inputs of the graph") : fmt::format("node {} ({} '{}')", index_, type(), node_->name());
}
void Translation::fail(const std::string& what) const { throw GraphError(fmt::format("{}: {}", title(), what)); }
void Translation::refuse(OnnxRefusal reason, const std::string& what) const {
  throw OnnxNotSupported(reason, fmt::format("{}: {}", title(), what));
}

Graph Translation::run() {
  const onnx::GraphProto& graph = file_.graph();
  if (!graph.sparse_initializer().empty()) {
    throw OnnxNotSupported(OnnxRefusal::kSparse, "the graph has sparse constants; only dense ones are supported");
  }
  for (const auto& node : graph.node()) {
    for (const std::string& name : node.input()) {
      ++readers_[name];
    }
  }
  for (const auto& output : graph.output()) {
    ++readers_[output.name()];
  }
  for (const auto& initializer : graph.initializer()) {
    Tensor tensor = constant_tensor(initializer, fmt::format("constant '{}'", initializer.name()));
    if (count(tensor.shape) == 0) {
      empty_[initializer.name()] = std::move(tensor);
      continue;
    }
    ids_[initializer.name()] = add_tensor(std::move(tensor));
  }
  import_inputs();
  for (int i = 0; i < graph.node_size(); ++i) {
    translate(i);
  }
  for (const auto& output : graph.output()) {
    const auto found = ids_.find(output.name());
    if (const auto empty = empty_.find(output.name()); empty != empty_.end()) {
      Tensor tensor = empty->second;
      tensor.name = output.name();
      tensor.constant = std::make_shared<const Bytes>();
      graph_.outputs.push_back(add_tensor(std::move(tensor)));
      continue;
    }
    if (found == ids_.end()) {
      throw GraphError(fmt::format("output '{}' of the graph is made by no node; the file is damaged", output.name()));
    }
    graph_.outputs.push_back(found->second);
  }
  return std::move(graph_);
}

void Translation::import_inputs() {
  for (const auto& value : file_.graph().input()) {
    if (ids_.count(value.name()) == 0 && empty_.count(value.name()) == 0) {  // else it has a constant as its default, which stays
      import_input(value);
    }
  }
}

void Translation::import_input(const onnx::ValueInfoProto& value) {
  const std::string title = fmt::format("input '{}'", value.name());
  const onnx::TypeProto& type = value.type();
  switch (type.value_case()) {
    case onnx::TypeProto::kTensorType: break;
    case onnx::TypeProto::kSequenceType:
    case onnx::TypeProto::kMapType:
      throw OnnxNotSupported(OnnxRefusal::kSequence, fmt::format("{} is a sequence or map; tensors are supported", title));
    case onnx::TypeProto::kOptionalType: throw OnnxNotSupported(OnnxRefusal::kOptional, fmt::format("{} is optional; tensors are supported", title));
    case onnx::TypeProto::kSparseTensorType:
      throw OnnxNotSupported(OnnxRefusal::kSparse, fmt::format("{} is sparse; dense tensors are supported", title));
    default: throw GraphError(fmt::format("{} has no type; the file is damaged", title));
  }
  Tensor tensor;
  tensor.name = value.name();
  tensor.type = element_type(type.tensor_type().elem_type(), title);
  if (!type.tensor_type().has_shape()) {
    throw OnnxNotSupported(OnnxRefusal::kDynamicShape, fmt::format("{} has no shape; export the model with fixed shapes", title));
  }
  for (int axis = 0; axis < type.tensor_type().shape().dim_size(); ++axis) {
    tensor.shape.push_back(dimension(value, axis));
  }
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end()) {
    empty_[value.name()] = std::move(tensor);
    return;
  }
  if (count(tensor.shape) > kMaxTensorBytes / static_cast<std::int64_t>(element_size(tensor.type))) {
    throw GraphError(
        fmt::format("{}: shape {} takes more than {} bytes, the most a tensor may have", title, to_string(tensor.shape), kMaxTensorBytes));
  }
  const TensorId id = add_tensor(std::move(tensor));
  if (options_.values.count(value.name()) != 0) {
    bindable_[id] = value.name();
  }
  ids_[value.name()] = id;
  graph_.inputs.push_back(id);
  if (bound_.count(value.name()) != 0) {
    bind(id);
  }
}

std::int64_t Translation::dimension(const onnx::ValueInfoProto& value, int axis) const {
  const auto& dim = value.type().tensor_type().shape().dim(axis);
  std::int64_t size = 0;
  if (dim.value_case() == onnx::TensorShapeProto::Dimension::kDimValue) {
    size = dim.dim_value();
  } else if (const auto found = options_.dimensions.find(dim.dim_param()); found != options_.dimensions.end()) {
    size = found->second;
  } else if (axis == 0 && options_.batch) {
    size = *options_.batch;
  } else {
    throw OnnxNotSupported(
        OnnxRefusal::kDynamicShape,
        fmt::format("input '{}': dimension {} ('{}') is open; give its size (1 for one sample at a time) or export the model with fixed shapes",
                    value.name(), axis, dim.dim_param()));
  }
  if (size < 0) {
    throw GraphError(fmt::format("input '{}': dimension {} is {}; every dimension is at least 1", value.name(), axis, size));
  }
  return size;
}

void Translation::translate(int index) {
  index_ = index;
  node_ = &file_.graph().node(index);
  for (const auto& attribute : node_->attribute()) {
    if (attribute.has_g() || attribute.graphs_size() > 0) {
      refuse(OnnxRefusal::kControlFlow, "holds a graph of its own; only straight networks are supported: export the model without control flow");
    }
  }
  const bool known_domain = node_->domain().empty() || node_->domain() == "ai.onnx";
  const Handler handler = handler_of(node_->domain(), type());
  if (handler == nullptr) {
    const bool trains = node_->domain().find("training") != std::string::npos;
    refuse(known_domain ? refusal_of(type())
           : trains     ? OnnxRefusal::kTraining
                        : OnnxRefusal::kUnknownOperator,
           known_domain ? std::string("is not supported")
                        : fmt::format("of domain '{}' is not supported; operators of ONNX itself and quantized ones of com.microsoft are",
                                      node_->domain()));
  }
  const std::size_t first = graph_.operators.size();
  try {
    handler(*this);
  } catch (const OnnxNotSupported&) {
    throw;
  } catch (const GraphError& error) {
    const std::string text = error.what();
    if (text.rfind("node ", 0) == 0) {
      throw;
    }
    fail(text);
  }
  for (std::size_t i = 0; i < output_count(); ++i) {
    if (wants_output(i) && ids_.count(node_->output(static_cast<int>(i))) == 0 && empty_.count(node_->output(static_cast<int>(i))) == 0) {
      refuse(OnnxRefusal::kSecondResult, fmt::format("result {} ('{}') is used and not supported", i, node_->output(static_cast<int>(i))));
    }
  }
  name_made(first);
}

/// The last operator of a node is called as the file calls the node or its result; the others have a number.
void Translation::name_made(std::size_t first) {
  std::string wanted = node_->name();
  for (std::size_t i = 0; wanted.empty() && i < output_count(); ++i) {
    wanted = node_->output(static_cast<int>(i));
  }
  if (wanted.empty()) {
    wanted = fmt::format("{}_{}", type(), index_);
  }
  for (std::size_t i = graph_.operators.size(); i-- > first;) {
    Operator& op = graph_.operators[i];
    op.name = i + 1 == graph_.operators.size() ? wanted : fmt::format("{}/{}", wanted, i - first);
    for (int repeat = 1; !names_.insert(op.name).second; ++repeat) {
      op.name = fmt::format("{}#{}", wanted, repeat + static_cast<int>(names_.size()));
    }
  }
}

bool Translation::wants_output(std::size_t i) const {
  return i < output_count() && readers_.count(node_->output(static_cast<int>(i))) != 0 && !node_->output(static_cast<int>(i)).empty();
}

TensorId Translation::id_of(const std::string& name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) {
    fail(fmt::format("input '{}' is made by no node before it; the file is damaged", name));
  }
  return found->second;
}

TensorId Translation::input(std::size_t i) const {
  if (is_empty(i)) {
    refuse(OnnxRefusal::kEmptyTensor, fmt::format("input {} has no elements; it takes one or more", i));
  }
  if (!has_input(i)) {
    fail(fmt::format("input {} is missing", i));
  }
  return id_of(node_->input(static_cast<int>(i)));
}

void Translation::result(TensorId id, std::size_t i) {
  if (i >= output_count() || node_->output(static_cast<int>(i)).empty()) {
    return;
  }
  const std::string& name = node_->output(static_cast<int>(i));
  if (!ids_.emplace(name, id).second) {
    fail(fmt::format("its result '{}' is there already; every name is made once", name));
  }
  Tensor& tensor = graph_.tensor(id);
  if (tensor.name.empty() || tensor.name.back() == '/') {
    tensor.name = name;
  }
}

void Translation::empty_result(Tensor tensor, std::size_t i) {
  if (i < output_count() && !node_->output(static_cast<int>(i)).empty()) {
    empty_[node_->output(static_cast<int>(i))] = std::move(tensor);
  }
}

std::size_t Translation::axis(std::int64_t axis, std::size_t rank) const {
  if (axis < -static_cast<std::int64_t>(rank) || axis >= static_cast<std::int64_t>(rank)) {
    fail(fmt::format("axis {} of {} dimensions; the range is {} .. {}", axis, rank, -static_cast<std::int64_t>(rank),
                     static_cast<std::int64_t>(rank) - 1));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

}  // namespace systole::graph::onnx_file
