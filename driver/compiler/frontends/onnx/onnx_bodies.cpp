// SPDX-License-Identifier: Apache-2.0
// Bodies of control flow operators become part of the network. A name in a body hides the same name outside of it;
// inside of the network each copy of a body has names of its own.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "onnx_tensors.hpp"
#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {

/// While it lives, names and messages are those of a body of the current node.
class Translation::InBody {
 public:
  InBody(Translation& t, const Body& body, const Names& names, const std::string& label)
      : t_(t), node_(t.node_), index_(t.index_), made_(t.made_), prefix_(t.prefix_), context_(t.context_) {
    t.context_ = fmt::format("{}, body {}, ", t.title(), label);
    t.prefix_ = t.prefix_of(label);
    t.scopes_.push_back(&body.constants);
    t.scopes_.push_back(&names);
  }
  InBody(const InBody&) = delete;
  InBody& operator=(const InBody&) = delete;
  ~InBody() {
    for (const auto& [name, unique] : *t_.scopes_.back()) {
      t_.readers_.erase(unique);
    }
    t_.scopes_.resize(t_.scopes_.size() - 2);
    t_.node_ = node_;
    t_.index_ = index_;
    t_.made_ = std::move(made_);
    t_.prefix_ = std::move(prefix_);
    t_.context_ = std::move(context_);
  }

 private:
  Translation& t_;
  const onnx::NodeProto* node_;
  int index_;
  std::vector<std::string> made_;
  std::string prefix_, context_;
};

const std::string& Translation::resolved(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = (*scope)->find(name); found != (*scope)->end()) {
      return found->second;
    }
  }
  return name;
}

/// The scope of the names in a body of the current node.
std::string Translation::prefix_of(const std::string& label) const {
  const std::string& name = node_->name().empty() && output_count() > 0 ? node_->output(0) : node_->name();
  return fmt::format("{}{}/{}/", prefix_, name.empty() ? type() : name, label);
}

std::string Translation::unique_name(const std::string& name) {
  std::string chosen = name;
  while (!file_names_.insert(chosen).second) {
    chosen += '#';
  }
  return chosen;
}

FileValue Translation::value_of(const std::string& name) const {
  const auto empty = empty_.find(name);
  return empty == empty_.end() ? FileValue{id_of(name)} : FileValue{kNoTensor, empty->second};
}

FileValue Translation::value(std::size_t i) const {
  if (i >= input_count() || input_name(i).empty()) {
    fail(fmt::format("input {} is missing", i));
  }
  return value_of(input_name(i));
}

void Translation::result(const FileValue& value, std::size_t i) {
  if (value.empty) {
    empty_result(*value.empty, i);
    return;
  }
  if (i < output_count() && !output_name(i).empty() && static_cast<std::size_t>(value.id) >= first_tensor_) {
    graph_.tensor(value.id).name += '/';  // it gets the name of the result instead of that in the body
  }
  result(value.id, i);
}

const Body& Translation::body(const char* attribute) {
  const auto* found = find(attribute);
  if (found == nullptr || !found->has_g()) {
    fail(fmt::format("attribute '{}' is missing; expected a graph", attribute));
  }
  const onnx::GraphProto& graph = found->g();
  if (const auto known = bodies_.find(&graph); known != bodies_.end()) {
    return known->second;
  }
  if (!graph.sparse_initializer().empty()) {
    refuse(OnnxRefusal::kSparse, "its body has sparse constants; only dense ones are supported");
  }
  Body body;
  body.graph = &graph;
  body.order = order_of(graph);
  body.names = static_cast<std::size_t>(graph.input_size()) + static_cast<std::size_t>(graph.output_size());
  for (const auto& node : graph.node()) {
    body.reads.push_back(names_read(node));
    body.names += body.reads.back().size() + static_cast<std::size_t>(node.output_size());
  }
  read_constants(body, prefix_of(attribute));
  return bodies_.emplace(&graph, std::move(body)).first->second;
}

void Translation::read_constants(Body& body, const std::string& prefix) {
  for (const auto& initializer : body.graph->initializer()) {
    const std::string title = fmt::format("{}: constant '{}'", this->title(), initializer.name());
    Tensor tensor = widened(constant_tensor(initializer, title));
    tensor.name = unique_name(prefix + initializer.name());
    body.constants[initializer.name()] = tensor.name;
    if (count(tensor.shape) == 0) {
      empty_[tensor.name] = std::move(tensor);
    } else {
      ids_[tensor.name] = add_tensor(tensor);
    }
  }
}

/// Operators that bodies become, in addition to those before.
void Translation::count_unrolled(std::size_t operators) {
  constexpr std::size_t kMaxUnrolled = 1 << 16;
  unrolled_ += operators;
  if (unrolled_ > kMaxUnrolled) {
    refuse(OnnxRefusal::kTooLarge,
           fmt::format("the loops of the file become more than {} operators, because they are unrolled; export the "
                       "model with fewer iterations",
                       kMaxUnrolled));
  }
}

/// Errors are those of the node of the file that has the body.
void Translation::translate_in_body(const Body& body, int index) {
  node_ = &body.graph->node(index);
  index_ = index;
  made_.clear();
  const std::size_t first = graph_.operators.size();
  handle(checked_handler());
  name_made(first);
  count_unrolled(1 + graph_.operators.size() - first);
  for (const std::string& name : body.reads[static_cast<std::size_t>(index)]) {
    --readers_[resolved(name)];
  }
}

std::vector<FileValue> Translation::inlined(const Body& body, const std::vector<FileValue>& inputs,
                                            const std::string& label) {
  const onnx::GraphProto& graph = *body.graph;
  if (inputs.size() != static_cast<std::size_t>(graph.input_size())) {
    fail(fmt::format("its body has {} inputs; the node gives it {}", graph.input_size(), inputs.size()));
  }
  constexpr std::size_t kNamesOfAnOperator = 16;  // which take as long
  count_unrolled(1 + body.names / kNamesOfAnOperator);
  Names names;
  const std::string prefix = prefix_of(label);
  std::vector<std::string> own;
  const auto add = [&](const std::string& name) {
    if (!name.empty()) {
      own.push_back(names[name] = unique_name(prefix + name));
    }
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    add(graph.input(static_cast<int>(i)).name());
    if (own.size() != i + 1) {
      fail(fmt::format("input {} of its body has no name", i));
    }
    if (inputs[i].empty) {
      empty_[own.back()] = *inputs[i].empty;
    } else {
      ids_[own.back()] = inputs[i].id;
    }
  }
  for (const auto& node : graph.node()) {
    std::for_each(node.output().begin(), node.output().end(), add);
  }
  const InBody scope(*this, body, names, label);
  for (const auto& reads : body.reads) {
    for (const std::string& name : reads) {
      ++readers_[resolved(name)];
    }
  }
  for (const auto& output : graph.output()) {
    ++readers_[resolved(output.name())];
  }
  for (const std::size_t node : body.order) {
    translate_in_body(body, static_cast<int>(node));
  }
  std::vector<FileValue> outputs;
  for (const auto& output : graph.output()) {
    outputs.push_back(value_of(resolved(output.name())));
    --readers_[resolved(output.name())];
  }
  for (const std::string& name : own) {
    ids_.erase(name);
    empty_.erase(name);
  }
  return outputs;
}

}  // namespace systole::graph::onnx_file
