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

ModelContents Translation::run() {
  contents_.format = fmt::format("ONNX, operator set {}", opset());
  check_file();
  count_readers();
  import_constants();
  import_inputs();
  check_dimensions();
  for (const std::size_t node : file_.order()) {
    translate(static_cast<int>(node));
  }
  node_ = nullptr;
  import_outputs();
  contents_.graph = std::move(graph_);
  return std::move(contents_);
}

/// For what was just caught: of the node at hand, or of an input or constant with this name.
void Translation::obstacle(const GraphError& error, const std::string& name) {
  Obstacle found;
  if (node_ != nullptr) {
    found.place = index_;
    found.type = type();
  }
  found.name = name;
  const auto* refused = dynamic_cast<const OnnxNotSupported*>(&error);
  found.kind = refused != nullptr ? name_of(refused->reason()) : "wrong file";
  found.text = error.what();
  found.remedy = refused != nullptr ? remedy_of(refused->reason()) : "the file is damaged, or was made wrongly: export the model again";
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
    for (const std::string& name : node.input()) {
      ++readers_[name];
    }
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
  for (const auto& initializer : file_.graph().initializer()) {
    try {
      Tensor tensor = constant_tensor(initializer, fmt::format("constant '{}'", initializer.name()));
      if (count(tensor.shape) == 0) {
        empty_[initializer.name()] = std::move(tensor);
        continue;
      }
      ids_[initializer.name()] = add_tensor(std::move(tensor));
    } catch (const GraphError& error) {
      obstacle(error, initializer.name());
      unknown_.insert(initializer.name());
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
      tensor.name = output.name();
      tensor.constant = std::make_shared<const Bytes>();
      graph_.outputs.push_back(add_tensor(std::move(tensor)));
    } else if (found != ids_.end()) {
      graph_.outputs.push_back(found->second);
    } else if (unknown_.count(output.name()) == 0) {
      throw GraphError(fmt::format("output '{}' of the graph is made by no node; the file is damaged", output.name()));
    }
  }
  std::for_each(taken_by_unread_.begin(), taken_by_unread_.end(), add);
}

void Translation::import_inputs() {
  for (const auto& value : file_.graph().input()) {
    const bool has_default = ids_.count(value.name()) != 0 || empty_.count(value.name()) != 0 || unknown_.count(value.name()) != 0;
    if (has_default) {  // a constant, which stays
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

/// A tensor of this name, type and shape.
Tensor Translation::described(const onnx::ValueInfoProto& value, const std::string& title, bool is_input) {
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
  std::string open;
  for (int axis = 0; axis < type.tensor_type().shape().dim_size(); ++axis) {
    const std::optional<std::int64_t> size = dimension(value, axis, is_input);
    if (!size) {
      const std::string& name = is_input ? contents_.open.back().name : type.tensor_type().shape().dim(axis).dim_param();
      open += fmt::format("{}dimension {} ('{}')", open.empty() ? "" : ", ", axis, name);
    }
    tensor.shape.push_back(size.value_or(1));
  }
  if (!open.empty()) {
    throw OnnxNotSupported(OnnxRefusal::kDynamicShape, fmt::format("{}: {} open; its size is to be given", title, open + (open.find(',') == std::string::npos ? " is" : " are")));
  }
  if (count(tensor.shape) > kMaxTensorBytes / static_cast<std::int64_t>(element_size(tensor.type))) {
    throw GraphError(
        fmt::format("{}: shape {} takes more than {} bytes, the most a tensor may have", title, to_string(tensor.shape), kMaxTensorBytes));
  }
  return tensor;
}

void Translation::import_input(const onnx::ValueInfoProto& value) {
  Tensor tensor = described(value, fmt::format("input '{}'", value.name()), true);
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end()) {
    empty_[value.name()] = std::move(tensor);
    return;
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

/// Of an input or a result; nothing where it is open and no size is given.
std::optional<std::int64_t> Translation::dimension(const onnx::ValueInfoProto& value, int axis, bool is_input) {
  const auto& dim = value.type().tensor_type().shape().dim(axis);
  if (dim.value_case() == onnx::TensorShapeProto::Dimension::kDimValue) {
    if (dim.dim_value() < 0) {
      throw GraphError(fmt::format("'{}': dimension {} is {}; every dimension is at least 1", value.name(), axis, dim.dim_value()));
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

/// Those in the options are open in the file.
void Translation::check_dimensions() const {
  for (const auto& [name, size] : options_.dimensions) {
    std::string open;
    bool is_open = false;
    for (const OpenDimension& dimension : contents_.open) {
      is_open = is_open || name == dimension.name || name == fmt::format("{}:{}", dimension.input, dimension.axis);
      open += fmt::format("{}'{}' (axis {} of input '{}')", open.empty() ? "" : ", ", dimension.name, dimension.axis, dimension.input);
    }
    if (!is_open) {
      throw GraphError(fmt::format("dimension '{}' is given, and the file leaves none open that is called so; open are: {}", name, open.empty() ? "none" : open));
    }
    if (size < 1 || size > kMaxTensorBytes) {
      throw GraphError(fmt::format("dimension '{}' of {}; the range is 1 .. {}", name, size, kMaxTensorBytes));
    }
  }
}

void Translation::translate(int index) {
  index_ = index;
  node_ = &file_.graph().node(index);
  first_tensor_ = graph_.tensors.size();
  made_.clear();
  const std::size_t first = graph_.operators.size();
  try {
    const Handler handler = checked_handler();
    if (takes_unknown()) {
      leave_out(true);
    } else {
      handle(handler);
      name_made(first);
    }
  } catch (const GraphError& error) {
    graph_.operators.erase(graph_.operators.begin() + static_cast<std::ptrdiff_t>(first), graph_.operators.end());
    for (const std::string& name : made_) {
      ids_.erase(name);
      empty_.erase(name);
    }
    obstacle(error, node_->name());
    leave_out(false);
  }
  for (const std::string& name : node_->input()) {
    --readers_[name];
  }
}

/// Refuses a node that no function here stands for.
Handler Translation::checked_handler() const {
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
  return handler;
}

void Translation::handle(Handler handler) {
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
}

bool Translation::takes_unknown() const {
  return std::any_of(node_->input().begin(), node_->input().end(), [&](const std::string& name) { return unknown_.count(name) != 0; });
}

/// What comes behind the node can be read where the file says what shape its results have.
void Translation::leave_out(bool waits) {
  contents_.unread.push_back({index_, type(), node_->name(), waits});
  for (const std::string& name : node_->input()) {
    if (const auto found = ids_.find(name); found != ids_.end() && !tensor(found->second).constant) {
      taken_by_unread_.push_back(found->second);
    }
  }
  for (const std::string& name : node_->output()) {
    if (name.empty() || ids_.count(name) != 0 || empty_.count(name) != 0) {
      continue;
    }
    const auto found = described_.find(name);
    try {
      if (found != described_.end()) {
        Tensor tensor = described(*found->second, name, false);
        if (count(tensor.shape) > 0) {
          graph_.inputs.push_back(ids_[name] = add_tensor(std::move(tensor)));
          continue;
        }
      }
    } catch (const GraphError&) {
    }
    unknown_.insert(name);
  }
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
    contents_.places[op.name] = index_;
  }
}

bool Translation::wants_output(std::size_t i) const {
  return i < output_count() && readers_.count(node_->output(static_cast<int>(i))) != 0 && !node_->output(static_cast<int>(i)).empty();
}

TensorId Translation::id_of(const std::string& name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) {
    fail(fmt::format("input '{}' is made by no node, and is no input or constant of the graph; the file is damaged", name));
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
  made_.push_back(name);
  Tensor& tensor = graph_.tensor(id);
  if (tensor.name.empty() || tensor.name.back() == '/') {
    tensor.name = name;
  }
}

void Translation::empty_result(Tensor tensor, std::size_t i) {
  if (i < output_count() && !node_->output(static_cast<int>(i)).empty()) {
    empty_[node_->output(static_cast<int>(i))] = std::move(tensor);
    made_.push_back(node_->output(static_cast<int>(i)));
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
