// SPDX-License-Identifier: Apache-2.0
// File-level parts of the translation: inputs, outputs, constants, open dimensions, obstacles.
#include <fmt/core.h>

#include <algorithm>

#include "onnx_given_constants.hpp"
#include "onnx_tensors.hpp"
#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {
namespace {

/// Some exporters write -1 for a dimension whose size is not known.
bool is_open(const onnx::TensorShapeProto::Dimension& dim) {
  return dim.value_case() != onnx::TensorShapeProto::Dimension::kDimValue || dim.dim_value() == -1;
}

}  // namespace

/// Records a caught error: of the current node, or of the input or constant `name`.
void Translation::obstacle(const GraphError& error, const std::string& name) {
  Obstacle found;
  if (node_ != nullptr) {
    found.place = place_;
    found.type = full_type();
  }
  found.name = name;
  const auto* refused = dynamic_cast<const OnnxNotSupported*>(&error);
  found.kind = refused != nullptr ? name_of(refused->reason()) : "wrong file";
  found.text = error.what();
  found.remedy =
      refused != nullptr ? remedy_of(refused->reason()) : "the file is damaged or invalid: export the model again";
  if (node_ != nullptr && refused != nullptr && refused->reason() == OnnxRefusal::kDynamicShape) {
    found.remedy =
        "the size of its result depends on input values: remove it from the model and compute it after the network";
  }
  if (refused != nullptr) {
    found.options = refused->options();
  }
  contents_.obstacles.push_back(std::move(found));
  if (first_obstacle_ == nullptr) {
    first_obstacle_ = std::current_exception();
  }
}

void Translation::check_file() {
  const auto object = [&](OnnxRefusal reason, const std::string& text) {
    try {
      throw OnnxNotSupported(reason, text);
    } catch (const GraphError& error) {
      obstacle(error, "");
    }
  };
  for (const std::string& text : file_.too_new()) {
    object(OnnxRefusal::kVersion, text);
  }
  if (file_.trains()) {
    object(OnnxRefusal::kTraining, "the file holds training information; export the model for inference");
  }
  if (!file_.graph().sparse_initializer().empty()) {
    object(OnnxRefusal::kSparse, "the graph has sparse constants; only dense ones are supported");
    for (const auto& sparse : file_.graph().sparse_initializer()) {
      unknown_.insert(sparse.values().name());
    }
  }
}

void Translation::count_readers() {
  const onnx::GraphProto& graph = file_.graph();
  for (const auto& node : graph.node()) {
    for (const std::string& name : names_read(node)) {
      ++readers_[name];
    }
    file_names_.insert(node.output().begin(), node.output().end());
  }
  for (const auto& input : graph.input()) {
    file_names_.insert(input.name());
  }
  for (const auto& initializer : graph.initializer()) {
    file_names_.insert(initializer.name());
  }
  for (const auto& output : graph.output()) {
    ++readers_[output.name()];
    described_.emplace(output.name(), &output);
  }
  for (const auto& value : graph.value_info()) {
    described_.emplace(value.name(), &value);
  }
}

void Translation::import_constants() {
  for (int i = 0; i < file_.graph().initializer_size(); ++i) {
    const std::string name = file_.graph().initializer(i).name();
    try {
      Tensor tensor = widened(file_.constant(i, fmt::format("constant '{}'", name)));
      if (count(tensor.shape) == 0) {
        empty_[name] = std::move(tensor);
        continue;
      }
      ids_[name] = add_tensor(std::move(tensor));
    } catch (const GraphError& error) {
      obstacle(error, name);
      unknown_.insert(name);
    }
  }
}

void Translation::import_outputs() {
  const auto add = [&](TensorId id) {
    if (std::find(graph_.outputs.begin(), graph_.outputs.end(), id) == graph_.outputs.end()) {
      graph_.outputs.push_back(id);
    }
  };
  for (const auto& output : file_.graph().output()) {
    const auto found = ids_.find(output.name());
    if (const auto empty = empty_.find(output.name()); empty != empty_.end()) {
      Tensor tensor = empty->second;
      const auto declared = output.type().tensor_type().elem_type();
      if (declared != 0 && widened(element_type(declared, output.name())) == tensor.type) {
        tensor.type = element_type(declared, output.name());
      }
      tensor.name = output.name();
      tensor.constant = std::make_shared<const Bytes>();
      graph_.outputs.push_back(add_tensor(std::move(tensor)));
    } else if (found != ids_.end()) {
      graph_.outputs.push_back(as_declared(found->second, output));
    } else if (unknown_.count(output.name()) == 0) {
      throw GraphError(
          fmt::format("output '{}' of the graph is not produced by any node; the file is damaged", output.name()));
    }
  }
  std::for_each(taken_by_unread_.begin(), taken_by_unread_.end(), add);
}

void Translation::import_inputs() {
  for (const auto& value : file_.graph().input()) {
    if (const auto given = options_.constants.find(value.name()); given != options_.constants.end()) {
      import_given(value, given->second);
      continue;
    }
    const bool has_default =
        ids_.count(value.name()) != 0 || empty_.count(value.name()) != 0 || unknown_.count(value.name()) != 0;
    if (has_default) {  // a constant default, which stays
      continue;
    }
    try {
      import_input(value);
    } catch (const GraphError& error) {
      obstacle(error, value.name());
      unknown_.insert(value.name());
    }
  }
}

/// A tensor with the declared name, type and shape.
Tensor Translation::described(const onnx::ValueInfoProto& value, const std::string& title, bool is_input) {
  const onnx::TypeProto& type = value.type();
  switch (type.value_case()) {
    case onnx::TypeProto::kTensorType: break;
    case onnx::TypeProto::kSequenceType:
    case onnx::TypeProto::kMapType:
      throw OnnxNotSupported(OnnxRefusal::kSequence,
                             fmt::format("{} is a sequence or map; tensors are supported", title));
    case onnx::TypeProto::kOptionalType:
      throw OnnxNotSupported(OnnxRefusal::kOptional, fmt::format("{} is optional; tensors are supported", title));
    case onnx::TypeProto::kSparseTensorType:
      throw OnnxNotSupported(OnnxRefusal::kSparse, fmt::format("{} is sparse; dense tensors are supported", title));
    default: throw GraphError(fmt::format("{} has no type; the file is damaged", title));
  }
  Tensor tensor;
  tensor.name = value.name();
  tensor.type = element_type(type.tensor_type().elem_type(), title);
  if (!is_input) {
    tensor.type = widened(tensor.type);
  }
  if (!type.tensor_type().has_shape()) {
    throw OnnxNotSupported(OnnxRefusal::kDynamicShape,
                           fmt::format("{} has no shape; export the model with fixed shapes", title));
  }
  std::string open;
  std::vector<std::string> options;
  for (int axis = 0; axis < type.tensor_type().shape().dim_size(); ++axis) {
    const std::optional<std::int64_t> size = dimension(value, axis, is_input);
    if (!size) {
      const std::string& name =
          is_input ? contents_.open.back().name : type.tensor_type().shape().dim(axis).dim_param();
      open += fmt::format("{}dimension {} ('{}')", open.empty() ? "" : ", ", axis, name);
      if (is_input) {
        options.push_back(fmt::format("--dimension {}=SIZE", name));
      }
    }
    tensor.shape.push_back(size.value_or(1));
  }
  if (!open.empty()) {
    throw OnnxNotSupported(OnnxRefusal::kDynamicShape,
                           fmt::format("{}: {} dynamic; its size must be given", title,
                                       open + (open.find(',') == std::string::npos ? " is" : " are")),
                           std::move(options));
  }
  if (count(tensor.shape) > kMaxTensorBytes / static_cast<std::int64_t>(element_size(tensor.type))) {
    throw GraphError(fmt::format("{}: shape {} takes more than {} bytes, the most a tensor may have", title,
                                 to_string(tensor.shape), kMaxTensorBytes));
  }
  return tensor;
}

/// An input whose value the user gives. It replaces a default of the file.
void Translation::import_given(const onnx::ValueInfoProto& value, const GivenConstant& given) {
  const std::string title = fmt::format("input '{}'", value.name());
  if (value.type().value_case() != onnx::TypeProto::kTensorType) {
    throw GraphError(fmt::format("constant '{}' is given; {} is not a tensor", value.name(), title));
  }
  const auto& declared = value.type().tensor_type();
  DeclaredInput input{value.name(), element_type(declared.elem_type(), title), std::nullopt};
  if (declared.has_shape()) {
    input.shape.emplace();
    for (const auto& dim : declared.shape().dim()) {
      input.shape->push_back(is_open(dim) ? std::nullopt : std::optional(dim.dim_value()));
    }
  }
  Tensor tensor = constant_of(given, input);
  ids_.erase(value.name());
  empty_.erase(value.name());
  unknown_.erase(value.name());
  if (count(tensor.shape) == 0) {
    empty_[value.name()] = std::move(tensor);
  } else {
    ids_[value.name()] = widen(add_tensor(std::move(tensor)));
  }
}

void Translation::import_input(const onnx::ValueInfoProto& value) {
  Tensor tensor = described(value, fmt::format("input '{}'", value.name()), true);
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end()) {
    empty_[value.name()] = tensor;
    graph_.inputs.push_back(add_tensor(std::move(tensor)));  // which no operator takes
    return;
  }
  const TensorId id = add_tensor(std::move(tensor));
  if (options_.values.count(value.name()) != 0) {
    bindable_[id] = value.name();
  }
  graph_.inputs.push_back(id);
  if (bound_.count(value.name()) != 0) {
    bind(id);
  }
  ids_[value.name()] = widen(id);
}

/// Constants that are given must be inputs of the file.
void Translation::check_constants() const {
  const auto& inputs = file_.graph().input();
  for (const auto& [name, given] : options_.constants) {
    if (std::none_of(inputs.begin(), inputs.end(),
                     [&name = name](const auto& input) { return input.name() == name; })) {
      std::string all;
      for (const auto& input : inputs) {
        all += fmt::format("{}'{}'", all.empty() ? "" : ", ", input.name());
      }
      throw GraphError(fmt::format("constant '{}' is given, but the file has no input of this name; it has: {}", name,
                                   all.empty() ? "none" : all));
    }
  }
}

/// Dimension of an input or result; none if it is open and no size is given.
std::optional<std::int64_t> Translation::dimension(const onnx::ValueInfoProto& value, int axis, bool is_input) {
  const auto& dim = value.type().tensor_type().shape().dim(axis);
  if (!is_open(dim)) {
    if (dim.dim_value() < 0) {
      throw GraphError(
          fmt::format("'{}': dimension {} is {}; a dimension is at least 0, and -1 or a name where it is open",
                      value.name(), axis, dim.dim_value()));
    }
    return dim.dim_value();
  }
  const auto given = [&](const std::string& name) {
    const auto found = options_.dimensions.find(name);
    return found == options_.dimensions.end() ? std::nullopt : std::optional(found->second);
  };
  const std::string by_place = fmt::format("{}:{}", value.name(), axis);
  std::optional<std::int64_t> size = given(by_place);
  if (!size && !dim.dim_param().empty()) {
    size = given(dim.dim_param());
  }
  if (!size && axis == 0) {
    size = options_.batch;
  }
  if (is_input) {
    contents_.open.push_back({dim.dim_param().empty() ? by_place : dim.dim_param(), value.name(), axis, size});
  }
  return size;
}

/// Dimensions named in the options must be open in the file.
void Translation::check_dimensions() const {
  for (const auto& [name, size] : options_.dimensions) {
    std::string open;
    bool is_open = false;
    for (const OpenDimension& dimension : contents_.open) {
      is_open = is_open || name == dimension.name || name == fmt::format("{}:{}", dimension.input, dimension.axis);
      open += fmt::format("{}'{}' (axis {} of input '{}')", open.empty() ? "" : ", ", dimension.name, dimension.axis,
                          dimension.input);
    }
    if (!is_open) {
      throw GraphError(
          fmt::format("dimension '{}' is given, but the file has no dynamic dimension of this name; it has: {}", name,
                      open.empty() ? "none" : open));
    }
    if (size < 1 || size > kMaxTensorBytes) {
      throw GraphError(fmt::format("dimension '{}' of {}; the range is 1 .. {}", name, size, kMaxTensorBytes));
    }
  }
}

}  // namespace systole::graph::onnx_file
