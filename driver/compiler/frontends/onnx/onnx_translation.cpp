// SPDX-License-Identifier: Apache-2.0
#include "onnx_translation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {

Translation::Translation(File& file, const std::string& name, const OnnxOptions& options,
                         const std::set<std::string>& bound)
    : file_(file), options_(options), bound_(bound) {
  graph_.name = name;
}

std::string Translation::title() const {
  return node_ == nullptr ? std::string("the inputs of the graph")
                          : fmt::format("{}node {} ({} '{}')", context_, index_, full_type(), node_->name());
}
std::string Translation::full_type() const {
  const std::string& domain = node_->domain();
  return domain.empty() || domain == "ai.onnx" ? type() : fmt::format("{}.{}", domain, type());
}
void Translation::fail(const std::string& what) const { throw GraphError(fmt::format("{}: {}", title(), what)); }
void Translation::refuse(OnnxRefusal reason, const std::string& what, std::vector<std::string> options) const {
  throw OnnxNotSupported(reason, fmt::format("{}: {}", title(), what), std::move(options));
}

ModelContents Translation::run() {
  contents_.format = fmt::format("ONNX, operator set {}", opset());
  check_file();
  count_readers();
  check_constants();
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

void Translation::translate(int index) {
  index_ = index;
  place_ = index;
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
  for (const std::string& name : names_read(*node_)) {
    --readers_[name];
  }
}

/// Refuses an unsupported node.
Handler Translation::checked_handler() const {
  const bool known_domain = node_->domain().empty() || node_->domain() == "ai.onnx";
  const Handler handler = handler_of(node_->domain(), type());
  if (handler == nullptr && registered() != nullptr) {
    return registered_operator;
  }
  if (handler == nullptr) {
    for (const auto& attribute : node_->attribute()) {
      if (attribute.has_g() || attribute.graphs_size() > 0) {
        refuse(OnnxRefusal::kControlFlow,
               "contains a subgraph; of the operators with subgraphs only If, Loop and Scan are supported: export the "
               "model without this one");
      }
    }
    const bool trains = node_->domain().find("training") != std::string::npos;
    refuse(
        known_domain ? refusal_of(type())
        : trains     ? OnnxRefusal::kTraining
                     : OnnxRefusal::kUnknownOperator,
        known_domain
            ? std::string("is not supported")
            : fmt::format("of domain '{0}' is not supported; operators of ONNX itself and some of com.microsoft are, "
                          "and one that is registered as '{1}' (--kernel {1}=FILE, systole.register in Python, "
                          "ImportOptions in C++)",
                          node_->domain(), full_type()));
  }
  return handler;
}

void Translation::handle(Handler handler) {
  try {
    if (!handled_without_elements(*this)) {
      handler(*this);
    }
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
    if (wants_output(i) && ids_.count(output_name(i)) == 0 && empty_.count(output_name(i)) == 0) {
      refuse(OnnxRefusal::kSecondResult,
             fmt::format("output {} ('{}') is used but not supported", i, node_->output(static_cast<int>(i))));
    }
  }
}

bool Translation::takes_unknown() const {
  const std::vector<std::string> names = names_read(*node_);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return unknown_.count(name) != 0; });
}

/// The nodes after it can be read if the file gives the shapes of its results.
void Translation::leave_out(bool waits) {
  contents_.unread.push_back({index_, full_type(), node_->name(), waits});
  for (const std::string& name : names_read(*node_)) {
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
    } catch (const GraphError&) {}
    unknown_.insert(name);
  }
}

/// The last operator of a node is named after the node or its result; the others get a number.
void Translation::name_made(std::size_t first) {
  std::string wanted = node_->name().empty() ? std::string() : prefix_ + node_->name();
  for (std::size_t i = 0; wanted.empty() && i < output_count(); ++i) {
    wanted = output_name(i);
  }
  if (wanted.empty()) {
    wanted = fmt::format("{}{}_{}", prefix_, type(), index_);
  }
  for (std::size_t i = graph_.operators.size(); i-- > first;) {
    Operator& op = graph_.operators[i];
    if (!op.name.empty()) {  // of a body
      continue;
    }
    op.name = i + 1 == graph_.operators.size() ? wanted : fmt::format("{}/{}", wanted, i - first);
    for (int repeat = 1; !names_.insert(op.name).second; ++repeat) {
      op.name = fmt::format("{}#{}", wanted, repeat + static_cast<int>(names_.size()));
    }
    contents_.places[op.name] = place_;
  }
}

bool Translation::wants_output(std::size_t i) const {
  return i < output_count() && readers_.count(output_name(i)) != 0 && !output_name(i).empty();
}

TensorId Translation::id_of(const std::string& name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) {
    fail(fmt::format("input '{}' is not an output of a node, an input or a constant of the graph; the file is damaged",
                     name));
  }
  return found->second;
}

TensorId Translation::input(std::size_t i) const {
  if (is_empty(i)) {
    refuse(OnnxRefusal::kEmptyTensor, fmt::format("input {} has no elements; expected at least one", i));
  }
  if (!has_input(i)) {
    fail(fmt::format("input {} is missing", i));
  }
  return id_of(input_name(i));
}

void Translation::result(TensorId id, std::size_t i) {
  if (i >= output_count() || output_name(i).empty()) {
    return;
  }
  const std::string& name = output_name(i);
  if (!ids_.emplace(name, id).second) {
    fail(fmt::format("its result '{}' already exists; the names of results must be unique", name));
  }
  made_.push_back(name);
  Tensor& tensor = graph_.tensor(id);
  if (tensor.name.empty() || tensor.name.back() == '/') {
    tensor.name = name;
  }
}

void Translation::empty_result(Tensor tensor, std::size_t i) {
  if (i < output_count() && !output_name(i).empty()) {
    empty_[output_name(i)] = std::move(tensor);
    made_.push_back(output_name(i));
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
